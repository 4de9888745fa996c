import { crc32, deflateSync } from 'node:zlib';

/** Pieces of image files, put together by hand: what no honest program writes. */

export const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

export function pngChunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const whole = Buffer.alloc(data.length + 12);
  whole.writeUInt32BE(data.length, 0);
  whole.write(type, 4, 'latin1');
  data.copy(whole, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, data.length + 8)), data.length + 8);
  return whole;
}

export function pngHeader(width: number, height: number, depth = 8, color = 2): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data[8] = depth;
  data[9] = color;
  return pngChunk('IHDR', data);
}

/** Grey rows for a picture of this size. */
export function pngPixels(width: number, height: number): Buffer {
  return pngChunk('IDAT', deflateSync(Buffer.alloc((1 + 3 * width) * height)));
}

export function png(...chunks: Buffer[]): Buffer {
  return Buffer.concat([pngSignature, ...chunks]);
}

export function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at);
  return bytes;
}

export function jpegSegment(marker: number, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff]), data]);
}

export const jpegStart = Buffer.from([0xff, 0xd8]);
export const jpegEnd = Buffer.from([0xff, 0xd9]);

/** Offset of a marker, which stands nowhere else before it. */
export function findMarker(file: Buffer, marker: number): number {
  const at = file.indexOf(Buffer.from([0xff, marker]));
  if (at < 0) throw new Error(`no marker ${marker.toString(16)}`);
  return at;
}

export function gifHeader(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.write('GIF89a', 'latin1');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  // A palette of two colors.
  bytes[10] = 0x80;
  return Buffer.concat([bytes, Buffer.from([0, 0, 0, 255, 255, 255])]);
}

/** One frame; its only pixel is the first color, and the rest of it is missing. */
export function gifFrame(width: number, height: number, codeBits = 2): Buffer {
  const head = Buffer.alloc(10);
  head[0] = 0x2c;
  head.writeUInt16LE(width, 5);
  head.writeUInt16LE(height, 7);
  return Buffer.concat([head, Buffer.from([codeBits, 2, 0x44, 0x01, 0])]);
}

export const gifEnd = Buffer.from([0x3b]);

export function riffChunk(name: string, data: Buffer): Buffer {
  const whole = Buffer.alloc(8 + data.length + (data.length % 2));
  whole.write(name, 0, 'latin1');
  whole.writeUInt32LE(data.length, 4);
  data.copy(whole, 8);
  return whole;
}

export function webp(...chunks: Buffer[]): Buffer {
  return riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

/** The extended header: flags and the canvas. */
export function webpHeader(flags: number, width: number, height: number): Buffer {
  const data = Buffer.alloc(10);
  data[0] = flags;
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return riffChunk('VP8X', data);
}

export function webpFrame(left: number, width: number, height: number, picture: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.writeUIntLE(left / 2, 0, 3);
  head.writeUIntLE(width - 1, 6, 3);
  head.writeUIntLE(height - 1, 9, 3);
  return riffChunk('ANMF', Buffer.concat([head, picture]));
}

export function box(name: string, data: Buffer): Buffer {
  return Buffer.concat([u32(data.length + 8), Buffer.from(name, 'latin1'), data]);
}

/** Where a box's content begins, wherever it is nested. */
export function findBox(file: Buffer, name: string): number {
  const at = file.indexOf(name, 0, 'latin1');
  if (at < 0) throw new Error(`no box ${name}`);
  return at + 4;
}

/** A copy with other bytes at a place. */
export function patched(file: Buffer, at: number, bytes: Buffer | readonly number[]): Buffer {
  const copy = Buffer.from(file);
  Buffer.from(bytes).copy(copy, at);
  return copy;
}

export function without(file: Buffer, from: number, to: number): Buffer {
  return Buffer.concat([file.subarray(0, from), file.subarray(to)]);
}

export const half = (file: Buffer) => file.subarray(0, Math.floor(file.length / 2));
