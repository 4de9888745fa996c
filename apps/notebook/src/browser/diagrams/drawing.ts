/** What the page asks of the drawing frame, and what comes back. Both sides hold the other for a stranger. */
export type Scheme = 'light' | 'dark';

export interface DrawRequest {
  readonly id: number;
  readonly source: string;
  readonly scheme: Scheme;
}

export interface Drawn {
  readonly id: number;
  /** A whole document, shown as an image: nothing in it runs or loads. */
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  /** What the diagram calls itself, or its kind. */
  readonly name: string;
}

export interface NotDrawn {
  readonly id: number;
  readonly problem: string;
}

export type DrawAnswer = Drawn | NotDrawn;

/**
 * What is larger stays source. A layout costs about the product of its things and the lines between them, and drawing and measuring them,
 * which nobody can do outside of the page's thread, a millisecond or two each.
 */
export const drawingBounds = {
  sourceChars: 8_000,
  /** The engine wraps a long word by measuring it anew for each letter. */
  lineChars: 400,
  sourceLines: 300,
  /** Of sequences, charts and plans, which are drawn line by line. */
  rowLines: 120,
  /** Of kinds whose things have rows. */
  linesOfKind: { class: 130, er: 150 },
  nodes: 150,
  edges: 160,
  /** These take longer for each line between two things, most of it in one task (`npm run bench diagrams`). */
  edgesOfKind: { class: 70, state: 80, er: 140 },
  nodesTimesEdges: 12_000,
  /** Of kinds that lay themselves out, in the page's thread, at the square of their things. */
  ownLayoutLines: 60,
  svgChars: 2_000_000,
  side: 20_000,
} as const;

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most;
}

function isSide(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= drawingBounds.side;
}

/** The frame runs the text of strangers: what it says is looked at like any other input. */
export function readAnswer(data: unknown): DrawAnswer | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { id, svg, width, height, name, problem } = data as Record<string, unknown>;
  if (typeof id !== 'number') return undefined;
  if (isText(svg, drawingBounds.svgChars) && isSide(width) && isSide(height) && isText(name, 500))
    return { id, svg, width, height, name };
  return { id, problem: isText(problem, 500) ? problem : 'it cannot be drawn' };
}
