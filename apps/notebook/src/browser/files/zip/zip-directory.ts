import { limits } from '../../../limits.ts';

/** The whole archive is refused. The message is for the person who chose it. */
export class BadZip extends Error {
  override readonly name = 'BadZip';
}

/** An entry of the directory, which claims things about a file. None of it is trusted: read-zip.ts counts sizes and checks checksums. */
export interface ZipEntry {
  readonly path: string;
  readonly encrypted: boolean;
  /** True for a symbolic link. */
  readonly link: boolean;
  /** 0 is stored, 8 is deflated. Nobody uses other methods for text. */
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Where the file's own header begins. */
  readonly offset: number;
}

const endSign = 0x06054b50;
const entrySign = 0x02014b50;
const endBytes = 22;
const longestComment = 65_535;

/**
 * Reads the directory at the end of a zip archive (APPNOTE 4.3.12 and 4.3.16).
 * @throws BadZip when there is none or it contradicts itself
 */
export function readDirectory(archive: Uint8Array): ZipEntry[] {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  const start = view.getUint32(end + 16, true);
  if (count === 0xffff || start === 0xffffffff)
    throw new BadZip('is a zip of the kind for very large archives, which cannot be read here');
  if (view.getUint16(end + 4, true) !== 0 || view.getUint16(end + 8, true) !== count)
    throw new BadZip('is one part of a zip that was split into several files');
  if (count > limits.maxImportZipEntries)
    throw new BadZip(`holds ${count} files; at most ${limits.maxImportZipEntries} are taken`);
  return readEntries(view, start, end, count);
}

function findEnd(view: DataView): number {
  const last = view.byteLength - endBytes;
  for (let at = last; at >= Math.max(0, last - longestComment); at--)
    if (view.getUint32(at, true) === endSign && view.getUint16(at + 20, true) === last - at) return at;
  throw new BadZip('is not a zip archive, or was cut off');
}

function readEntries(view: DataView, start: number, end: number, count: number): ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = start;
  for (let number = 0; number < count; number++) {
    if (at + 46 > end || view.getUint32(at, true) !== entrySign) throw new BadZip('is damaged: its list of files cannot be read');
    const nameBytes = view.getUint16(at + 28, true);
    const next = at + 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > end) throw new BadZip('is damaged: its list of files cannot be read');
    entries.push(readEntry(view, at, nameBytes));
    at = next;
  }
  return entries;
}

function readEntry(view: DataView, at: number, nameBytes: number): ZipEntry {
  const flags = view.getUint16(at + 8, true);
  const madeOnUnix = view.getUint8(at + 5) === 3;
  return {
    path: readName(new Uint8Array(view.buffer, view.byteOffset + at + 46, nameBytes)),
    encrypted: (flags & 0x1) !== 0,
    link: madeOnUnix && (view.getUint16(at + 40, true) & 0xf000) === 0xa000,
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    packedBytes: view.getUint32(at + 20, true),
    bytes: view.getUint32(at + 24, true),
    offset: view.getUint32(at + 42, true),
  };
}

/** Most programs write UTF-8, whether they declare it or not. Others are read as Latin-1, so that at least the extension is known. */
function readName(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
}
