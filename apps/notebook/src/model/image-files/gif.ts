import { type Bytes, refuseUnless } from './bytes.ts';
import { type ReadImage, readImage } from './read-image.ts';
import { requireFrames, requireSize } from './size.ts';

const frame = 0x2c;
const extension = 0x21;
const end = 0x3b;
const graphicControl = 0xf9;
const application = 0xff;

/** How often an animation repeats: the only application extensions that affect what is shown. */
const loops = ['NETSCAPE2.0', 'ANIMEXTS1.0'];

/** Frames are kept byte for byte; comments, XMP and other applications' data are not. */
export function readGif(bytes: Bytes): ReadImage {
  const [width, height] = [bytes.u16le(6), bytes.u16le(8)];
  requireSize(width, height);
  let at = 13 + paletteBytes(bytes.u8(10));
  const kept: Uint8Array[] = [bytes.slice(0, at)];
  let frames = 0;
  while (bytes.u8(at) !== end) {
    const next = bytes.u8(at) === frame ? endOfFrame(bytes, at) : endOfExtension(bytes, at);
    if (bytes.u8(at) === frame) frames += 1;
    requireFrames(frames, width, height);
    if (isKept(bytes, at)) kept.push(bytes.slice(at, next - at));
    at = next;
  }
  refuseUnless(frames > 0, 'has no pixels');
  bytes.requireEnd(at + 1);
  kept.push(bytes.slice(at, 1));
  return readImage({ type: 'gif', width, height, frames, bytes: Buffer.concat(kept) });
}

function paletteBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

function endOfFrame(bytes: Bytes, at: number): number {
  const [width, height] = [bytes.u16le(at + 5), bytes.u16le(at + 7)];
  requireSize(bytes.u16le(at + 1) + width, bytes.u16le(at + 3) + height);
  refuseUnless(width > 0 && height > 0, 'has no pixels');
  const data = at + 10 + paletteBytes(bytes.u8(at + 9));
  const codeBits = bytes.u8(data);
  refuseUnless(codeBits >= 1 && codeBits <= 11, 'is packed in an unknown way');
  refuseUnless(bytes.u8(data + 1) > 0, 'has no pixels');
  return endOfBlocks(bytes, data + 1);
}

function endOfExtension(bytes: Bytes, at: number): number {
  refuseUnless(bytes.u8(at) === extension, 'has a part without a name');
  return endOfBlocks(bytes, at + 2);
}

/** Data comes in blocks of up to 255 bytes; an empty block ends it. */
function endOfBlocks(bytes: Bytes, start: number): number {
  let at = start;
  for (let length = bytes.u8(at); length > 0; length = bytes.u8(at)) at += length + 1;
  return at + 1;
}

function isKept(bytes: Bytes, at: number): boolean {
  if (bytes.u8(at) === frame) return true;
  const label = bytes.u8(at + 1);
  if (label === graphicControl) return true;
  return label === application && bytes.u8(at + 2) === 11 && loops.includes(bytes.text(at + 3, 11));
}
