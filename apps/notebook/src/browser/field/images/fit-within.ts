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
  while (width >= to.width * 2 && height >= to.height * 2 && width > 1 && height > 1) {
    width = Math.max(to.width, Math.floor(width / 2));
    height = Math.max(to.height, Math.floor(height / 2));
    steps.push({ width, height });
  }
  const last = steps.at(-1);
  return last?.width === to.width && last.height === to.height ? steps : [...steps, to];
}
