/**
 * Larger diagrams stay source. The cost of a layout grows with the number of nodes times edges. Drawing and measuring takes a millisecond
 * or two for each of them, and can only be done in the page's thread.
 */
export const sourceBounds = {
  sourceChars: 8_000,
  /** The engine wraps a long word by measuring it again for each letter. */
  lineChars: 400,
  sourceLines: 300,
  /** For sequences, charts and plans, which are drawn line by line. */
  rowLines: 120,
  /** For kinds whose boxes have rows. */
  linesOfKind: { class: 130, er: 150 },
  nodes: 150,
  edges: 160,
  /** For kinds that take longer per edge, most of it in one task (`npm run bench diagrams`). */
  edgesOfKind: { class: 70, state: 80, er: 140 },
  nodesTimesEdges: 12_000,
  /** For kinds with their own layout: it runs in the page's thread, in time that grows with the square of the number of boxes. */
  ownLayoutLines: 60,
} as const;
