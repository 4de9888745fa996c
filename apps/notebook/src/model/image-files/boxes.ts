import { type Bytes, refuseUnless } from './bytes.ts';

/** A box of the ISO base media file format (ISO 14496-12), as offsets into the whole file. */
export interface Box {
  readonly name: string;
  readonly start: number;
  /** After size and name. In a full box, the content begins with four bytes of version and flags. */
  readonly content: number;
  readonly end: number;
}

/** The boxes that exactly fill this range. */
export function boxesIn(bytes: Bytes, from: number, to: number): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at < to; ) {
    const box = boxAt(bytes, at, to);
    refuseUnless(box.end >= box.content && box.end <= to, 'is cut off');
    boxes.push(box);
    at = box.end;
  }
  return boxes;
}

function boxAt(bytes: Bytes, start: number, to: number): Box {
  const short = bytes.u32(start);
  const name = bytes.text(start + 4, 4);
  if (short === 1) return { name, start, content: start + 16, end: start + bytes.uint(start + 8, 8) };
  // Zero: the box extends to the end of its container.
  return { name, start, content: start + 8, end: short === 0 ? to : start + short };
}

export function findBox(boxes: readonly Box[], name: string): Box | undefined {
  const found = boxes.filter(box => box.name === name);
  refuseUnless(found.length <= 1, 'has a part twice');
  return found[0];
}

export function getBox(boxes: readonly Box[], name: string): Box {
  const box = findBox(boxes, name);
  refuseUnless(box !== undefined, 'lacks a part');
  return box;
}
