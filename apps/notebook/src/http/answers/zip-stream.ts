import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZipFile {
  /** ASCII. */
  readonly path: string;
  /** Bytes as a stream; a small file that must not be compressed is given whole. */
  readonly content: AsyncIterable<Uint8Array> | { readonly stored: Uint8Array };
  /** True for content that is already compressed and is only stored. */
  readonly packed?: boolean;
}

interface Written {
  readonly path: Buffer;
  readonly offset: number;
  readonly method: number;
  readonly flags: number;
  crc: number;
  packedBytes: number;
  bytes: number;
}

const deflated = 8;
/** The sizes follow the data. */
const sizesFollow = 0x0008;

/**
 * A ZIP archive (APPNOTE 6.3), written as its files arrive and compressed by zlib's threads. Below 4 GB, without ZIP64.
 * @param changedAt modification time of every file, in milliseconds since 1970 UTC
 */
export async function* zipStream(files: AsyncIterable<ZipFile>, changedAt: number): AsyncGenerator<Buffer> {
  const time = dosTime(changedAt);
  const all: Written[] = [];
  let offset = 0;
  const count = (bytes: Buffer): Buffer => {
    offset += bytes.length;
    return bytes;
  };
  for await (const { path, content, packed } of files) {
    const stored = 'stored' in content ? content.stored : undefined;
    const file: Written = {
      path: Buffer.from(path, 'latin1'),
      offset,
      method: stored ? 0 : deflated,
      flags: stored ? 0 : sizesFollow,
      crc: stored ? crc32(stored) : 0,
      packedBytes: stored?.length ?? 0,
      bytes: stored?.length ?? 0,
    };
    all.push(file);
    yield count(Buffer.concat([ownHeader(file, time), file.path]));
    if (stored) yield count(Buffer.from(stored));
    else {
      for await (const piece of deflate(content as AsyncIterable<Uint8Array>, file, packed ? 0 : 6)) yield count(piece);
      yield count(sizes(file));
    }
  }
  const start = offset;
  for (const file of all) yield count(Buffer.concat([listHeader(file, time), file.path]));
  yield end(all.length, start, offset - start);
}

async function* deflate(content: AsyncIterable<Uint8Array>, file: Written, level: number): AsyncGenerator<Buffer> {
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      file.crc = crc32(piece, file.crc);
      file.bytes += piece.length;
      yield piece;
    }
  }
  const packer = createDeflateRaw({ level });
  // Ends either stream when the other ends; an error is thrown where the packer is read.
  pipeline(Readable.from(counted()), packer, () => {});
  try {
    for await (const piece of packer as AsyncIterable<Buffer>) {
      file.packedBytes += piece.length;
      yield piece;
    }
  } finally {
    packer.destroy();
  }
}

function ownHeader({ path, method, flags, crc, packedBytes, bytes }: Written, time: number): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(method, 8);
  header.writeUInt32LE(time, 10);
  header.writeUInt32LE(crc, 14);
  header.writeUInt32LE(packedBytes, 18);
  header.writeUInt32LE(bytes, 22);
  header.writeUInt16LE(path.length, 26);
  return header;
}

function sizes({ crc, packedBytes, bytes }: Written): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt32LE(0x08074b50, 0);
  record.writeUInt32LE(crc, 4);
  record.writeUInt32LE(packedBytes, 8);
  record.writeUInt32LE(bytes, 12);
  return record;
}

function listHeader({ path, offset, method, flags, crc, packedBytes, bytes }: Written, time: number): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(20, 6);
  header.writeUInt16LE(flags, 8);
  header.writeUInt16LE(method, 10);
  header.writeUInt32LE(time, 12);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(packedBytes, 20);
  header.writeUInt32LE(bytes, 24);
  header.writeUInt16LE(path.length, 28);
  header.writeUInt32LE(offset, 42);
  return header;
}

function end(count: number, start: number, bytes: number): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(count, 8);
  record.writeUInt16LE(count, 10);
  record.writeUInt32LE(bytes, 12);
  record.writeUInt32LE(start, 16);
  return record;
}

/** MS-DOS time has steps of two seconds and begins in 1980. */
function dosTime(at: number): number {
  const date = new Date(Math.max(at, Date.UTC(1980, 0, 1)));
  const day = ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return ((day << 16) | time) >>> 0;
}
