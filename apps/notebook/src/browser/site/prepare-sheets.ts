import { fitFormulas } from './fit-formulas.ts';
import { fitTables } from './fit-tables.ts';
import { type PaperSize, paperMargins } from './page-rules.ts';

/** Laying out a larger book a second time takes seconds: its contents get no numbers, its formulas and tables keep their size. */
const mostElements = 150_000;
/** The gap between columns, in CSS pixels. */
const gap = 40;
/** Converts to CSS pixels with the precision of layout (1/64), because rounding errors add up over a hundred columns. */
const pixels = (millimeters: number) => Math.floor((millimeters * 96 * 64) / 25.4) / 64;

/**
 * Prepares the book for its paper: formulas that are wider than a sheet become smaller, long words in tables that are wider break, and the
 * sheet number that each entry of the contents leads to is written into its `data-page`.
 *
 * No browser has `target-counter` yet. So the book is laid out as for print, but in columns the size of a sheet, which break by the same
 * rules as sheets. It all happens in one task, so nothing of it is painted.
 * @param numbered whether this browser prints the numbers of sheets
 */
export function prepareSheets(book: HTMLElement, paper: PaperSize, numbered: boolean): void {
  const entries = numbered ? [...book.querySelectorAll<HTMLAnchorElement>('.book-contents a')] : [];
  const formulas = [...book.querySelectorAll<HTMLElement>('.math-display, .math-long, .math-inline')];
  const tables = [...book.querySelectorAll<HTMLTableElement>('.prose table')];
  if (entries.length + formulas.length + tables.length === 0 || book.getElementsByTagName('*').length > mostElements) return;
  const width = pixels(paper.width - 2 * paperMargins.side);
  // Rounded up, because a printed sheet may be that much taller (Chromium 153).
  const height = Math.ceil(pixels(paper.height - paperMargins.top - paperMargins.bottom));
  const columns = new CSSStyleSheet();
  columns.replaceSync(`
    html { text-rendering: geometricPrecision; }
    html, body { display: block; width: auto; height: auto; min-height: 0; padding: 0; margin: 0; }
    :root .book { position: absolute; inset: 0 auto auto 0; width: ${width}px; height: ${height}px; max-width: none; margin: 0;
      column-width: ${width}px; column-gap: ${gap}px; column-fill: auto; }
    :root .book > * { break-after: column; }
    :root .book > :last-child { break-after: auto; }
    :root .book .math-inline { max-width: calc(100% + 0.3em); overflow: hidden; }`);
  // Reserves room for a number in each entry during layout.
  for (const entry of entries) entry.dataset.page = '';
  const restore = applyPrintStyles();
  document.adoptedStyleSheets.push(columns);
  try {
    fitTables(tables);
    fitFormulas(formulas);
    const start = book.getBoundingClientRect().left;
    const places = entries.map(entry => {
      const target = document.getElementById(decodeURIComponent(entry.hash.slice(1)));
      const box = target?.getClientRects()[0];
      return box && 1 + Math.floor((box.left - start + gap / 2) / (width + gap));
    });
    for (const [index, entry] of entries.entries()) {
      const place = places[index];
      if (place === undefined) delete entry.dataset.page;
      else entry.dataset.page = String(place);
    }
  } finally {
    document.adoptedStyleSheets.pop();
    restore();
  }
}

/** Applies the print styles to the screen. @returns a function that restores the screen styles */
function applyPrintStyles(): () => void {
  const changed: [MediaList, string][] = [];
  const changeRules = (rules: CSSRuleList): void => {
    for (const rule of rules) {
      if (rule instanceof CSSMediaRule && /\b(?:print|screen)\b/.test(rule.media.mediaText)) {
        changed.push([rule.media, rule.media.mediaText]);
        rule.media.mediaText = rule.media.mediaText.replace(/\bprint\b/g, 'all').replace(/\bscreen\b/g, 'not all');
      }
      if (rule instanceof CSSGroupingRule) changeRules(rule.cssRules);
    }
  };
  for (const sheet of document.styleSheets) changeRules(sheet.cssRules);
  return () => {
    for (const [media, text] of changed) media.mediaText = text;
  };
}
