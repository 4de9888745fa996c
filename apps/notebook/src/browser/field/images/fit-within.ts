export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** The same shape with no edge longer than `maxEdge`; never larger than it was. */
export function fitWithin({ width, height }: PixelSize, maxEdge: number): PixelSize {
  const scale = Math.min(1, maxEdge / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Halves until one last step remains: drawn smaller than half at once, most browsers skip pixels and lines break up. */
export function stepsDown(from: PixelSize, to: PixelSize): PixelSize[] {
  const steps: PixelSize[] = [];
  let { width, height } = from;
  // Rounded up, and as long as one edge needs it: rounding down left last steps of a little more than half.
  while (width > to.width * 2 || height > to.height * 2) {
    width = Math.max(to.width, Math.ceil(width / 2));
    height = Math.max(to.height, Math.ceil(height / 2));
    steps.push({ width, height });
  }
  const last = steps.at(-1);
  return last?.width === to.width && last.height === to.height ? steps : [...steps, to];
}
