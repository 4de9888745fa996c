/** True when a canvas would lose the animation. Such files are sent unchanged (spec 1 §2 "Image pipeline" 2). */
export function isAnimated(bytes: Uint8Array): boolean {
  if (startsWith(bytes, 'GIF8')) return countGifFrames(bytes) > 1;
  if (startsWith(bytes, 'RIFF') && textAt(bytes, 8, 8) === 'WEBPVP8X') return ((bytes[20] ?? 0) & 0b10) !== 0;
  if (startsWith(bytes, '\x89PNG')) return hasAnimationChunk(bytes);
  return textAt(bytes, 4, 4) === 'ftyp' && isImageSequence(bytes);
}

const textAt = (bytes: Uint8Array, from: number, size: number) => String.fromCharCode(...bytes.subarray(from, from + size));
const startsWith = (bytes: Uint8Array, text: string) => textAt(bytes, 0, text.length) === text;

function uint32At(bytes: Uint8Array, at: number): number {
  return at + 4 <= bytes.length ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(at) : 0;
}

/** Counts up to two frames. It walks the blocks, because the byte that opens an image may also occur in another image's pixels. */
function countGifFrames(bytes: Uint8Array): number {
  const colors = (packed: number) => (packed & 0x80 ? 3 << ((packed & 7) + 1) : 0);
  let at = 13 + colors(bytes[10] ?? 0);
  let frames = 0;
  while (at < bytes.length && frames < 2) {
    if (bytes[at] === 0x21) {
      at = afterSubBlocks(bytes, at + 2);
    } else if (bytes[at] === 0x2c) {
      frames += 1;
      at = afterSubBlocks(bytes, at + 11 + colors(bytes[at + 9] ?? 0));
    } else {
      break;
    }
  }
  return frames;
}

function afterSubBlocks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0) at += 1 + bytes[at]!;
  return at + 1;
}

/** In an APNG `acTL` comes before the first `IDAT`. */
function hasAnimationChunk(bytes: Uint8Array): boolean {
  for (let at = 8; at + 8 <= bytes.length; at += 12 + uint32At(bytes, at)) {
    const kind = textAt(bytes, at + 4, 4);
    if (kind === 'acTL') return true;
    if (kind === 'IDAT') return false;
  }
  return false;
}

/** In AVIF the major brand `avis` means a sequence. A still that could also be read as one has `avif` as its major brand. */
function isImageSequence(bytes: Uint8Array): boolean {
  return textAt(bytes, 8, 4) === 'avis';
}
