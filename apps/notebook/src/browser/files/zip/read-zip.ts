import { Inflate } from 'fflate';
import { limits } from '../../../limits.ts';
import { crc32 } from './crc32.ts';
import { BadZip, readDirectory, type ZipEntry } from './zip-directory.ts';

const ownHeaderSign = 0x04034b50;
const stepBytes = 16_384;

/** Counts what the archives of one import use of the limits. An archive inside an archive counts against the same ones. */
export class Allowance {
  #entries = 0;
  #bytes = 0;

  /** @throws BadZip */
  take(entries: readonly ZipEntry[]): void {
    this.#entries += entries.length;
    this.#bytes += entries.reduce((sum, { bytes }) => sum + bytes, 0);
    if (this.#entries > limits.maxImportZipEntries)
      throw new BadZip(`holds ${this.#entries} files; at most ${limits.maxImportZipEntries} are taken`);
    if (this.#bytes > limits.maxImportUnpackedBytes)
      throw new BadZip(`would unpack to ${inMiB(this.#bytes)}; at most ${inMiB(limits.maxImportUnpackedBytes)} are taken`);
  }
}

/** An archive whose directory was read and found valid. Files are unpacked one by one, on demand. */
export class ZipArchive {
  readonly entries: readonly ZipEntry[];
  readonly #bytes: Uint8Array;
  readonly #starts: ReadonlyMap<ZipEntry, number>;

  /** @throws BadZip */
  constructor(bytes: Uint8Array, allowance = new Allowance()) {
    this.#bytes = bytes;
    this.entries = readDirectory(bytes);
    this.#starts = requireApart(bytes, this.entries);
    allowance.take(this.entries);
    requireModest(this.entries);
  }

  /** @throws BadZip when size or checksum differ from the directory */
  unpack(entry: ZipEntry): Uint8Array {
    const start = this.#starts.get(entry)!;
    const packed = this.#bytes.subarray(start, start + entry.packedBytes);
    const bytes = entry.method === 0 ? packed : inflate(packed, entry);
    if (bytes.length !== entry.bytes) throw lies(entry);
    if (crc32(bytes) !== entry.crc) throw new BadZip(`is damaged: the check sum of ${entry.path} is wrong`);
    return bytes;
  }
}

/** No two entries may overlap: a zip bomb can list many entries that share the same few bytes. */
function requireApart(archive: Uint8Array, entries: readonly ZipEntry[]): Map<ZipEntry, number> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const starts = new Map<ZipEntry, number>();
  let free = 0;
  for (const entry of entries.toSorted((one, other) => one.offset - other.offset)) {
    if (entry.offset + 30 > archive.length || view.getUint32(entry.offset, true) !== ownHeaderSign)
      throw new BadZip(`is damaged: ${entry.path} is not where its list says`);
    if (entry.offset < free) throw new BadZip('is made to deceive: two of its files share their bytes');
    const header = 30 + view.getUint16(entry.offset + 26, true) + view.getUint16(entry.offset + 28, true);
    starts.set(entry, entry.offset + header);
    free = entry.offset + header + entry.packedBytes;
    if (free > archive.length) throw new BadZip('was cut off');
  }
  return starts;
}

function requireModest(entries: readonly ZipEntry[]): void {
  const bomb = entries.find(
    ({ bytes, packedBytes }) => bytes > limits.importRatioFromBytes && bytes > packedBytes * limits.maxImportRatio,
  );
  if (bomb) throw new BadZip(`looks like a zip bomb: ${bomb.path} would grow ${Math.round(bomb.bytes / bomb.packedBytes)} times`);
}

const inMiB = (bytes: number) => `${Math.round(bytes / 1_048_576)} MiB`;

/** Inflates in steps and stops at the size the directory claims, so that a bomb never unfolds. */
function inflate(packed: Uint8Array, entry: ZipEntry): Uint8Array {
  const bytes = new Uint8Array(entry.bytes);
  let filled = 0;
  const stream = new Inflate(chunk => {
    if (filled + chunk.length > entry.bytes) throw lies(entry);
    bytes.set(chunk, filled);
    filled += chunk.length;
  });
  try {
    for (let at = 0; at < packed.length; at += stepBytes)
      stream.push(packed.subarray(at, at + stepBytes), at + stepBytes >= packed.length);
  } catch (problem) {
    throw problem instanceof BadZip ? problem : new BadZip(`is damaged: ${entry.path} cannot be unpacked`);
  }
  return bytes.subarray(0, filled);
}

const lies = ({ path }: ZipEntry) => new BadZip(`is made to deceive or damaged: ${path} is not as long as its list says`);
