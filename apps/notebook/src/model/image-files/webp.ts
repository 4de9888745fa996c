import { Bytes, refuseUnless, textBytes } from './bytes.ts';
import { isTurned, orientationOnly, readOrientation } from './orientation.ts';
import { type ReadImage, readImage } from './read-image.ts';
import { requireFrames, requireSize } from './size.ts';

const flag = { profile: 0x20, alpha: 0x10, exif: 0x08, animation: 0x02 };

interface Chunk {
  readonly name: string;
  readonly data: Bytes;
  /** With its header and, at an odd length, its one byte of padding. */
  readonly whole: Uint8Array;
}

function chunksOf(bytes: Bytes, start: number): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = start; at < bytes.length; ) {
    const length = bytes.u32le(at + 4);
    const whole = bytes.slice(at, 8 + length + (length % 2));
    chunks.push({ name: bytes.text(at, 4), data: new Bytes(bytes.slice(at + 8, length)), whole });
    at += whole.length;
  }
  return chunks;
}

export function readWebp(bytes: Bytes): ReadImage {
  const length = bytes.u32le(4) + 8;
  refuseUnless(length <= bytes.length, 'is cut off');
  bytes.requireEnd(length);
  const chunks = chunksOf(new Bytes(bytes.slice(0, length)), 12);
  const [first] = chunks;
  refuseUnless(first !== undefined, 'is cut off');
  return first.name === 'VP8X' ? readExtended(first.data, chunks.slice(1)) : readSimple(chunks);
}

function readSimple(chunks: readonly Chunk[]): ReadImage {
  const [picture, ...more] = chunks;
  refuseUnless(picture !== undefined && more.length === 0, 'goes on after its end');
  const { width, height } = sizeOf(picture);
  return readImage({ type: 'webp', width, height, bytes: riff([picture.whole]) });
}

function readExtended(header: Bytes, chunks: readonly Chunk[]): ReadImage {
  refuseUnless(header.length === 10, 'has a damaged header');
  const [width, height] = [header.u24le(4) + 1, header.u24le(7) + 1];
  requireSize(width, height);
  const isAnimated = (header.u8(0) & flag.animation) !== 0;
  const kept: Uint8Array[] = [];
  let flags = header.u8(0) & (flag.alpha | flag.animation);
  let orientation = 1;
  let frames = 0;
  for (const chunk of chunks) {
    const { name, data, whole } = chunk;
    if (name === 'EXIF') orientation = readOrientation(data.startsWith(0, 'Exif\0\0') ? data.all.subarray(6) : data.all);
    if (name === 'ICCP' && kept.length === 0) {
      flags |= flag.profile;
      kept.push(whole);
    } else if (name === 'ANMF') {
      refuseUnless(isAnimated, 'has its parts in disorder');
      requireFrames(++frames, width, height);
      kept.push(readFrame(data, width, height));
    } else if (name === 'ANIM' ? isAnimated : isStill(name) && !isAnimated) {
      if (name === 'VP8 ' || name === 'VP8L') {
        frames += 1;
        const size = sizeOf(chunk);
        refuseUnless(size.width === width && size.height === height, 'has two different sizes');
      }
      kept.push(whole);
    } else refuseUnless(!isStill(name), 'has its parts in disorder');
  }
  refuseUnless(frames > 0, 'has no pixels');
  refuseUnless(isAnimated || frames === 1, 'has its parts in disorder');
  const exif = orientationOnly(orientation);
  if (exif) kept.push(chunk('EXIF', exif));
  const head = Uint8Array.from(header.all);
  head[0] = flags | (exif ? flag.exif : 0);
  const file = riff([chunk('VP8X', head), ...kept]);
  return readImage({ type: 'webp', width, height, frames, turned: isTurned(orientation), bytes: file });
}

const isStill = (name: string) => ['ALPH', 'VP8 ', 'VP8L'].includes(name);

/** One frame of an animation, without unknown chunks. */
function readFrame(data: Bytes, canvasWidth: number, canvasHeight: number): Uint8Array {
  const [left, top] = [2 * data.u24le(0), 2 * data.u24le(3)];
  const [width, height] = [data.u24le(6) + 1, data.u24le(9) + 1];
  refuseUnless(left + width <= canvasWidth && top + height <= canvasHeight, 'has a frame that does not fit');
  const chunks = chunksOf(data, 16).filter(({ name }) => isStill(name));
  const pictures = chunks.filter(({ name }) => name !== 'ALPH');
  const [picture] = pictures;
  refuseUnless(picture !== undefined && pictures.length === 1, 'has no pixels');
  const size = sizeOf(picture);
  refuseUnless(size.width === width && size.height === height, 'has two different sizes');
  return chunk('ANMF', Buffer.concat([data.slice(0, 16), ...chunks.map(({ whole }) => whole)]));
}

function sizeOf({ name, data }: Chunk): { width: number; height: number } {
  const size = name === 'VP8 ' ? lossySize(data) : name === 'VP8L' ? losslessSize(data) : undefined;
  refuseUnless(size !== undefined, 'has no pixels');
  requireSize(size.width, size.height);
  return size;
}

/** RFC 6386, 9.1: a key frame, its start code, and a complete first partition. */
function lossySize(data: Bytes) {
  const tag = data.u24le(0);
  refuseUnless((tag & 1) === 0 && data.startsWith(3, '\x9d\x01\x2a'), 'has damaged pixels');
  data.at(10, tag >> 5);
  return { width: data.u16le(6) & 0x3fff, height: data.u16le(8) & 0x3fff };
}

/** RFC 9649, 3.4: 14 bits each for width and height. */
function losslessSize(data: Bytes) {
  const bits = data.u32le(1);
  refuseUnless(data.u8(0) === 0x2f && bits >>> 29 === 0, 'has damaged pixels');
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const whole = Buffer.alloc(8 + data.length + (data.length % 2));
  whole.write(name, 0, 'latin1');
  whole.writeUInt32LE(data.length, 4);
  whole.set(data, 8);
  return whole;
}

function riff(parts: readonly Uint8Array[]): Uint8Array {
  return chunk('RIFF', Buffer.concat([textBytes('WEBP'), ...parts]));
}
