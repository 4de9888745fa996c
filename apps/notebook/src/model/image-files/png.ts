import { crc32, inflateSync } from 'node:zlib';
import { Bytes, refuseUnless, textBytes } from './bytes.ts';
import { isTurned, orientationOnly, readOrientation } from './orientation.ts';
import { type ReadImage, readImage } from './read-image.ts';
import { requireFrames, requireSize } from './size.ts';

export const pngSignature = '\x89PNG\r\n\x1a\n';

/** Chunks that affect how a picture looks. All others (tEXt, zTXt, iTXt, eXIf, tIME, unknown ones) are left out. */
const keptChunks = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'acTL', 'fcTL', 'fdAT'],
  ...['cHRM', 'gAMA', 'sBIT', 'sRGB', 'iCCP', 'cICP', 'mDCV', 'cLLI', 'bKGD', 'pHYs'],
]);
const maxProfileBytes = 4_194_304;

/** The bit depths that each color type allows (ISO 15948, 11.2.1). */
const bitDepths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

interface Chunk {
  readonly type: string;
  readonly data: Bytes;
  readonly whole: Uint8Array;
}

function* chunksOf(bytes: Bytes): Generator<Chunk> {
  for (let at = pngSignature.length; at < bytes.length; ) {
    const length = bytes.u32(at);
    const whole = bytes.slice(at, length + 12);
    const type = bytes.text(at + 4, 4);
    refuseUnless(/^[A-Za-z]{4}$/.test(type), 'has a part without a name');
    refuseUnless(crc32(whole.subarray(4, length + 8)) === bytes.u32(at + length + 8), 'has a part that is damaged');
    yield { type, data: new Bytes(bytes.slice(at + 8, length)), whole };
    at += whole.length;
    if (type !== 'IEND') continue;
    bytes.requireEnd(at);
    return;
  }
}

export function readPng(bytes: Bytes): ReadImage {
  const kept: Uint8Array[] = [textBytes(pngSignature)];
  const seen: Record<string, number> = {};
  let last = '';
  let header: Header | undefined;
  let animation: Animation | undefined;
  let orientation = 1;
  for (const { type, data, whole } of chunksOf(bytes)) {
    refuseUnless((header === undefined) === (type === 'IHDR'), header ? 'has a second header' : 'does not begin with its header');
    refuseUnless(type !== 'IDAT' || !seen.IDAT || last === 'IDAT', 'has its parts in disorder');
    header ??= readHeader(data);
    if (type === 'acTL') animation = { frames: data.u32(0), begun: 0, sequence: 0 };
    if (type === 'fcTL' || type === 'fdAT') checkFrame(type, data, header, animation);
    if (type === 'eXIf' && !seen.eXIf) {
      orientation = readOrientation(data.all);
      // In its original place: not every reader looks for it after the pixels.
      kept.push(...orientationChunks(orientation));
    }
    seen[type] = (seen[type] ?? 0) + 1;
    last = type;
    const isKept = keptChunks.has(type);
    // An uppercase first letter means that a reader who does not know this chunk cannot show the picture.
    refuseUnless(isKept || /^[a-z]/.test(type), 'needs what nobody knows');
    if (isKept && (type !== 'iCCP' || isSmallProfile(data))) kept.push(whole);
  }
  refuseUnless(header !== undefined && last === 'IEND', 'is cut off');
  refuseUnless(seen.IDAT !== undefined, 'has no pixels');
  refuseUnless(header.color !== 3 || seen.PLTE === 1, 'has no palette');
  refuseUnless(animation === undefined || animation.begun === animation.frames, 'has not the frames that it promises');
  const { width, height } = header;
  const frames = animation?.frames ?? 1;
  return readImage({ type: 'png', width, height, frames, turned: isTurned(orientation), bytes: Buffer.concat(kept) });
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly color: number;
}

function readHeader(data: Bytes): Header {
  refuseUnless(data.length === 13, 'has a damaged header');
  const [width, height, color] = [data.u32(0), data.u32(4), data.u8(9)];
  requireSize(width, height);
  refuseUnless(bitDepths[color]?.includes(data.u8(8)) === true, 'has impossible colors');
  refuseUnless(data.u8(10) === 0 && data.u8(11) === 0 && data.u8(12) <= 1, 'is packed in an unknown way');
  return { width, height, color };
}

interface Animation {
  readonly frames: number;
  begun: number;
  sequence: number;
}

function checkFrame(type: string, data: Bytes, { width, height }: Header, animation: Animation | undefined): void {
  refuseUnless(animation !== undefined && data.u32(0) === animation.sequence, 'has its frames in disorder');
  animation.sequence += 1;
  if (type === 'fdAT') return;
  animation.begun += 1;
  requireFrames(animation.frames, width, height);
  refuseUnless(animation.begun <= animation.frames, 'has not the frames that it promises');
  const inside = data.u32(4) + data.u32(12) <= width && data.u32(8) + data.u32(16) <= height;
  refuseUnless(inside && data.u32(4) > 0 && data.u32(8) > 0, 'has a frame that does not fit');
}

/** A profile is compressed: a decompression bomb is left out, as is an unreadable profile. */
function isSmallProfile(data: Bytes): boolean {
  const end = data.all.indexOf(0);
  if (end < 1 || end > 79) return false;
  try {
    return inflateSync(data.all.subarray(end + 2), { maxOutputLength: maxProfileBytes }).length > 0;
  } catch {
    return false;
  }
}

function orientationChunks(orientation: number): Uint8Array[] {
  const exif = orientationOnly(orientation);
  return exif ? [chunk('eXIf', exif)] : [];
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const whole = Buffer.alloc(data.length + 12);
  whole.writeUInt32BE(data.length, 0);
  whole.write(type, 4, 'latin1');
  whole.set(data, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, data.length + 8)), data.length + 8);
  return whole;
}
