import { strToU8, type Zippable, zipSync } from 'fflate';

export const text = strToU8;

/** A sound archive, made by the library that unpacks it; its list is at the end. */
export function zip(files: Record<string, string | Uint8Array>, level: 0 | 6 = 6): Uint8Array {
  const zippable: Zippable = {};
  for (const [path, content] of Object.entries(files))
    zippable[path] = [typeof content === 'string' ? text(content) : content, { level }];
  return zipSync(zippable);
}

const entrySign = 0x02014b50;

/** Changes what the list says of the entry with this number, byte by byte as APPNOTE 4.3.12 counts them. */
export function withEntry(archive: Uint8Array, number: number, change: (view: DataView) => void): Uint8Array {
  const copy = archive.slice();
  const view = new DataView(copy.buffer);
  let at = new DataView(copy.buffer).getUint32(copy.length - 6, true);
  for (let skipped = 0; skipped < number; skipped++) at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true);
  if (view.getUint32(at, true) !== entrySign) throw new Error('not an entry');
  change(new DataView(copy.buffer, at));
  return copy;
}
