import { crc32, deflateRawSync } from 'node:zlib';
import { strToU8, type Zippable, zipSync } from 'fflate';

export const text = strToU8;

/** A sound archive, made by the library that unpacks it; its list is at the end. */
export function zip(files: Record<string, string | Uint8Array>, level: 0 | 6 = 6): Uint8Array {
  const zippable: Zippable = {};
  const large: { entry: number; packed: Packed }[] = [];
  for (const [entry, [path, content]] of Object.entries(files).entries()) {
    const bytes = typeof content === 'string' ? text(content) : content;
    if (level === 0 || bytes.length < largeBytes) {
      zippable[path] = [bytes, { level }];
      continue;
    }
    const packed = pack(bytes);
    large.push({ entry, packed });
    zippable[path] = [packed.bytes, { level: 0 }];
  }
  return large.reduce<Uint8Array>((archive, { entry, packed }) => asPacked(archive, entry, packed), zipSync(zippable));
}

/** The library takes seconds to pack what Node packs in a tenth of the time. */
const largeBytes = 1_000_000;

interface Packed {
  readonly bytes: Uint8Array;
  readonly length: number;
  readonly sum: number;
}

/** By the bytes themselves: an archive of many bombs holds the same ones many times. */
const packedBefore = new WeakMap<Uint8Array, Packed>();

function pack(bytes: Uint8Array): Packed {
  const known = packedBefore.get(bytes);
  if (known) return known;
  const packed = { bytes: Uint8Array.from(deflateRawSync(bytes)), length: bytes.length, sum: crc32(bytes) };
  packedBefore.set(bytes, packed);
  return packed;
}

/** Says in the list and before the entry that its bytes are packed: APPNOTE 4.3.7, 4.3.12. */
function asPacked(archive: Uint8Array, number: number, { length, sum }: Packed): Uint8Array {
  return withEntry(archive, number, (list, whole) => {
    const entry = list.getUint32(42, true);
    for (const [view, at, methodAt] of [
      [list, 0, 10],
      [whole, entry, 8],
    ] as const) {
      view.setUint16(at + methodAt, 8, true);
      view.setUint32(at + methodAt + 6, sum, true);
      view.setUint32(at + methodAt + 14, length, true);
    }
  });
}

const entrySign = 0x02014b50;

/** Changes what the list says of the entry with this number, byte by byte as APPNOTE 4.3.12 counts them. */
export function withEntry(archive: Uint8Array, number: number, change: (view: DataView, archive: DataView) => void): Uint8Array {
  const copy = archive.slice();
  const view = new DataView(copy.buffer);
  let at = new DataView(copy.buffer).getUint32(copy.length - 6, true);
  for (let skipped = 0; skipped < number; skipped++) at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true);
  if (view.getUint32(at, true) !== entrySign) throw new Error('not an entry');
  change(new DataView(copy.buffer, at), view);
  return copy;
}
