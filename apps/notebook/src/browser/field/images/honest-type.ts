/** More than this is a photograph, or as good as one. */
const fewColors = 256;

/** What the pixels need, where WebP is not to be had: PNG keeps alpha and flat colors exactly, JPEG makes photographs small. */
export function readPixels(rgba: Uint8ClampedArray): { transparent: boolean; fewColors: boolean } {
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.byteLength >> 2);
  const seen = new Set<number>();
  for (let at = 0; at < pixels.length; at += 1) {
    if (rgba[at * 4 + 3] !== 255) return { transparent: true, fewColors: false };
    if (seen.size <= fewColors) seen.add(pixels[at]!);
  }
  return { transparent: false, fewColors: seen.size <= fewColors };
}
