/** Requests from the page to the drawing frame, and the answers. Neither side trusts the other. */
export type Scheme = 'light' | 'dark';

export interface DrawRequest {
  readonly id: number;
  readonly source: string;
  readonly scheme: Scheme;
}

export interface Drawn {
  readonly id: number;
  /** A whole document that is shown as an image, so nothing in it runs or loads. */
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  /** The diagram's own title, or its kind. */
  readonly name: string;
}

export interface NotDrawn {
  readonly id: number;
  readonly problem: string;
}

/** The problem of a diagram whose engine did not load. It says nothing about the diagram: later it may be drawn. */
export const unloaded = 'unloaded';

export type DrawAnswer = Drawn | NotDrawn;

/** A larger drawing is not shown. */
const svgChars = 2_000_000;
const sidePixels = 20_000;

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most;
}

function isSide(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= sidePixels;
}

/** Checks the frame's answer like any other untrusted input, because the frame processes strangers' text. */
export function readAnswer(data: unknown): DrawAnswer | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { id, svg, width, height, name, problem } = data as Record<string, unknown>;
  if (typeof id !== 'number') return undefined;
  if (isText(svg, svgChars) && isSide(width) && isSide(height) && isText(name, 500)) return { id, svg, width, height, name };
  if (isText(problem, 500)) return { id, problem };
  return { id, problem: svg === undefined ? 'nothing was drawn' : 'its drawing is too large' };
}
