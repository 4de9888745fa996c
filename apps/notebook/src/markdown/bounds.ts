import type { PlainReason } from './rendered.ts';

/** Limits above which a text is shown plain: far beyond what people write, well below what causes harm. */
export const renderBounds = {
  sourceChars: 1_200_000,
  /** Nested block quotes and list items. */
  containers: 100,
  /** Nested elements. Browsers stop at 512. */
  treeDepth: 256,
  elements: 600_000,
  tableColumns: 200,
  tableCells: 300_000,
  unsafeChars: 8_000_000,
  outputChars: 5_000_000,
  highlightedCharsPerBlock: 60_000,
  highlightedChars: 300_000,
  /** Nested color spans, on top of `treeDepth`: a grammar opens one for each nested template literal. */
  highlightedDepth: 64,
  texCharsPerFormula: 5_000,
  texChars: 200_000,
  mathElementsPerFormula: 5_000,
  mathElements: 60_000,
  /** The server's processor time in its long queue: three times what a megabyte of ordinary text takes. */
  timeMillis: 6_000,
} as const;

/** Thrown inside the pipeline; render.ts turns it into plain text. */
export class OverBound extends Error {
  readonly reason: PlainReason;
  constructor(reason: PlainReason) {
    super(`over the bound of ${reason}`);
    this.reason = reason;
  }
}

/** The markers of block quotes and list items at the start of a line. Several on one line, or deep indentation, mean nesting. */
const containerMarkers = /^(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))+/;
const beforeDelimiters = /^[ \t>]*(?:(?:[*+]|\d{1,9}[.)])[ \t]*)?/;
const delimiters = /^[|:-][-:| \t]*$/;

/** Checks every line once before any expensive step. @returns the first limit that the text exceeds */
export function checkBounds(source: string): PlainReason | undefined {
  if (source.length > renderBounds.sourceChars) return 'output';
  let columns = 0;
  let cells = 0;
  for (let at = 0; at < source.length; ) {
    const newline = source.indexOf('\n', at);
    const end = newline === -1 ? source.length : newline;
    const line = source.slice(at, end);
    at = end + 1;
    if (containerDepth(line) > renderBounds.containers) return 'nesting';
    if (line.trim() === '') {
      columns = 0;
      continue;
    }
    if (line.includes('|')) columns = columnsBelow(line) ?? columns;
    if (columns > renderBounds.tableColumns) return 'table-width';
    cells += columns;
    if (cells > renderBounds.tableCells) return 'table-width';
  }
  return undefined;
}

/** Long enough for more containers than the limit. A line may be as long as the text. */
const searchedChars = 2_000;

function containerDepth(line: string): number {
  const markers = containerMarkers.exec(line.slice(0, searchedChars))?.[0];
  if (!markers) return 0;
  // A nested list needs two columns of indentation for each level.
  return /^[ \t]*/.exec(markers)![0].length / 2 + markers.replace(/[^>*+.)-]/g, '').length;
}

/**
 * The columns of the table whose delimiter row this is. Two steps, because a single expression would try every space as the end of the
 * prefix. A leading hyphen is a delimiter.
 */
function columnsBelow(line: string): number | undefined {
  const row = line.slice(beforeDelimiters.exec(line)![0].length).trimEnd();
  if (!delimiters.test(row)) return undefined;
  const outer = (row.startsWith('|') ? 1 : 0) + (row.length > 1 && row.endsWith('|') ? 1 : 0);
  return count(row, '|') + 1 - outer;
}

function count(text: string, sign: string): number {
  let found = 0;
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) found += 1;
  return found;
}
