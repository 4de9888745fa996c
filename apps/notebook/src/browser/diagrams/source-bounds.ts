/**
 * What is larger stays source. A layout costs about the product of its things and the lines between them, and drawing and measuring them,
 * which nobody can do outside of the page's thread, a millisecond or two each.
 */
export const sourceBounds = {
  sourceChars: 8_000,
  /** The engine wraps a long word by measuring it anew for each letter. */
  lineChars: 400,
  sourceLines: 300,
  /** Sequences, charts and plans are drawn line by line. */
  rowLines: 120,
  /** Kinds whose boxes have rows. */
  linesOfKind: { class: 130, er: 150 },
  nodes: 150,
  edges: 160,
  /** These take longer for each line between two things, most of it in one task (`npm run bench diagrams`). */
  edgesOfKind: { class: 70, state: 80, er: 140 },
  nodesTimesEdges: 12_000,
  /** Kinds that lay themselves out, in the page's thread, in time that grows with the square of their boxes. */
  ownLayoutLines: 60,
} as const;
