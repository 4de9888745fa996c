/** An image with more colors counts as a photograph. */
const fewColors = 256;

/** Tells which format fits the pixels where WebP is not available: PNG keeps alpha and flat colors, JPEG makes photographs small. */
export function analyzePixels(rgba: Uint8ClampedArray): { transparent: boolean; fewColors: boolean } {
  const pixels = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.byteLength >> 2);
  const seen = new Set<number>();
  for (let at = 0; at < pixels.length; at += 1) {
    if (rgba[at * 4 + 3] !== 255) return { transparent: true, fewColors: false };
    if (seen.size <= fewColors) seen.add(pixels[at]!);
  }
  return { transparent: false, fewColors: seen.size <= fewColors };
}
