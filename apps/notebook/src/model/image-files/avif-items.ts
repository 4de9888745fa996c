import { type Box, boxesIn } from './boxes.ts';
import { type Bytes, numbersFrom, refuseUnless } from './bytes.ts';

/** An entry of `meta`, which describes the pictures in a file and everything else in it (ISO 23008-12). */
export interface Item {
  readonly id: number;
  readonly type: string;
}

export interface Extent {
  /** Offset in the file or in `idat`. */
  readonly offset: number;
  readonly length: number;
}

export interface Location {
  readonly id: number;
  readonly isInside: 'file' | 'idat' | 'other';
  readonly extents: readonly Extent[];
}

/** Far more than the tiles of a large picture. */
const maxItems = 1_024;

const versionOf = (bytes: Bytes, box: Box) => bytes.u8(box.content);

export function readPrimaryId(bytes: Bytes, pitm: Box): number {
  return bytes.uint(pitm.content + 4, versionOf(bytes, pitm) === 0 ? 2 : 4);
}

export function readItems(bytes: Bytes, iinf: Box): Item[] {
  const countSize = versionOf(bytes, iinf) === 0 ? 2 : 4;
  return boxesIn(bytes, iinf.content + 4 + countSize, iinf.end).map(infe => {
    const version = versionOf(bytes, infe);
    refuseUnless(infe.name === 'infe' && (version === 2 || version === 3), 'lists its parts in an unknown way');
    const idSize = version === 2 ? 2 : 4;
    const at = infe.content + 4;
    return { id: bytes.uint(at, idSize), type: bytes.text(at + idSize + 2, 4) };
  });
}

export function readLocations(bytes: Bytes, iloc: Box): Location[] {
  const version = versionOf(bytes, iloc);
  refuseUnless(version <= 2, 'lists its parts in an unknown way');
  const read = numbersFrom(bytes, iloc.content + 4);
  const sizes = read(2);
  const [offsetSize, lengthSize, baseSize] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexSize = version === 0 ? 0 : sizes & 15;
  const count = read(version < 2 ? 2 : 4);
  refuseUnless(count <= maxItems, 'has too many parts');
  return Array.from({ length: count }, () => {
    const id = read(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : read(2) & 15;
    const isElsewhere = read(2) !== 0;
    const base = read(baseSize);
    const extents = Array.from({ length: readCount(read(2)) }, () => {
      read(indexSize);
      const offset = base + read(offsetSize);
      return { offset, length: read(lengthSize) };
    });
    return { id, isInside: isElsewhere ? 'other' : ((['file', 'idat'] as const)[method] ?? 'other'), extents };
  });
}

function readCount(count: number): number {
  refuseUnless(count <= maxItems, 'has too many parts');
  return count;
}

export interface Properties {
  /** Every size that any picture in the file declares. */
  readonly sizes: readonly { width: number; height: number }[];
  /** The size as shown: decoders rotate such a picture themselves. */
  of(id: number): { width: number; height: number } | undefined;
}

export function readProperties(bytes: Bytes, iprp: Box): Properties {
  const boxes = boxesIn(bytes, iprp.content, iprp.end);
  const all = boxes.filter(({ name }) => name === 'ipco').flatMap(ipco => boxesIn(bytes, ipco.content, ipco.end));
  const sizeOf = (ispe: Box) => ({ width: bytes.u32(ispe.content + 4), height: bytes.u32(ispe.content + 8) });
  const links = new Map(boxes.filter(({ name }) => name === 'ipma').flatMap(ipma => readLinks(bytes, ipma)));
  return {
    sizes: all.filter(({ name }) => name === 'ispe').map(sizeOf),
    of(id) {
      const own = (links.get(id) ?? []).flatMap(index => all[index - 1] ?? []);
      const ispe = own.find(({ name }) => name === 'ispe');
      const turns = own.filter(({ name }) => name === 'irot').map(irot => bytes.u8(irot.content) & 3);
      const isTurned = turns.reduce((sum, turn) => sum + turn, 0) % 2 === 1;
      const size = ispe && sizeOf(ispe);
      return size && isTurned ? { width: size.height, height: size.width } : size;
    },
  };
}

function readLinks(bytes: Bytes, ipma: Box): [number, number[]][] {
  const idSize = versionOf(bytes, ipma) < 1 ? 2 : 4;
  const isWide = (bytes.u8(ipma.content + 3) & 1) === 1;
  const read = numbersFrom(bytes, ipma.content + 4);
  return Array.from({ length: readCount(read(4)) }, () => {
    const id = read(idSize);
    return [id, Array.from({ length: read(1) }, () => (isWide ? read(2) & 0x7fff : read(1) & 0x7f))];
  });
}
