export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Scales a size down so that no edge is longer than `maxEdge`. It never scales up. */
export function fitWithin({ width, height }: PixelSize, maxEdge: number): PixelSize {
  const scale = Math.min(1, maxEdge / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Halves the size until one last step remains: when an image is scaled to less than half at once, most browsers skip pixels. */
export function stepsDown(from: PixelSize, to: PixelSize): PixelSize[] {
  const steps: PixelSize[] = [];
  let { width, height } = from;
  // Rounds up, and goes on while either edge needs it: rounding down left last steps that shrank an edge by more than half.
  while (width > to.width * 2 || height > to.height * 2) {
    width = Math.max(to.width, Math.ceil(width / 2));
    height = Math.max(to.height, Math.ceil(height / 2));
    steps.push({ width, height });
  }
  const last = steps.at(-1);
  return last?.width === to.width && last.height === to.height ? steps : [...steps, to];
}
