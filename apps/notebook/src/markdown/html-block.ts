export interface HtmlBlock {
  /** Matches its last line, or the blank line after it. */
  readonly end: RegExp;
  /** True if its HTML is shown, headings included. */
  readonly holdsHeadings: boolean;
}

/** Blocks of raw text and of what is not shown. Blank lines do not end them. */
const rawBlocks: readonly (readonly [opening: RegExp, end: RegExp])[] = [
  [/^ {0,3}<(?:pre|script|style|textarea)(?:[\s>]|$)/i, /<\/(?:pre|script|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![a-z]/i, />/],
];

const blockTags = new Set(
  (
    'address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset figcaption ' +
    'figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu menuitem nav noframes ol ' +
    'optgroup option p param search section summary table tbody td tfoot th thead title tr track ul'
  ).split(' '),
);

const tagOpening = /^ {0,3}<\/?([a-z][a-z0-9-]*)(?:[\s>]|\/>|$)/i;
const tagAlone = /^ {0,3}<\/?[a-z][a-z0-9-]*(?:\s[^<>]*|\/)?>\s*$/i;
const blank = /^\s*$/;
/** The start of every HTML block. */
const opening = /^ {0,3}</;

/** Returns the HTML block that begins with this line (CommonMark §4.6). Nothing in it is read as Markdown. */
export function openHtmlBlock(line: string, inParagraph: boolean): HtmlBlock | undefined {
  // One test instead of seven, because a page may have a thousand lines to check.
  if (!opening.test(line)) return undefined;
  const raw = rawBlocks.find(([begins]) => begins.test(line));
  if (raw) return { end: raw[1], holdsHeadings: false };
  const tag = tagOpening.exec(line)?.[1]?.toLowerCase() ?? '';
  if (blockTags.has(tag) || (!inParagraph && tagAlone.test(line))) return { end: blank, holdsHeadings: true };
  return undefined;
}
