/**
 * Larger diagrams stay source. The cost of a layout grows with the number of nodes times edges. Drawing and measuring takes a millisecond
 * or two for each of them, and can only be done in the page's thread.
 */
export const sourceBounds = {
  sourceChars: 8_000,
  /** The engine wraps a long word by measuring it again for each letter. */
  lineChars: 400,
  /** A label whose words are longer than it is wide is wrapped that way, too. */
  wordChars: 60,
  longWordsChars: 400,
  sourceLines: 300,
  /** In the settings before the diagram: each may multiply what it refers to. */
  aliases: 8,
  /** For sequences, charts and plans, which are drawn line by line. */
  rowLines: 120,
  /** For kinds whose boxes have rows, and one whose areas are looked for in many passes. */
  linesOfKind: { class: 130, er: 150, venn: 20 },
  /** Days that a plan may look at while it is drawn; some microseconds each. */
  planDays: 20_000,
  nodes: 150,
  edges: 160,
  /** For kinds that take longer per edge, most of it in one task (`npm run bench diagrams`). */
  edgesOfKind: { class: 70, state: 80, er: 140 },
  nodesTimesEdges: 12_000,
  /** For kinds with their own layout: it runs in the page's thread, in time that grows with the square of the number of boxes. */
  ownLayoutLines: 60,
} as const;
