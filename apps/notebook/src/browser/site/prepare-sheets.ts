import { fitToPaper, onPaper } from './fit-to-paper.ts';
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
  const wide = book.querySelector('.prose :is(table, math)');
  if ((entries.length === 0 && !wide) || book.getElementsByTagName('*').length > mostElements) return;
  const width = pixels(paper.width - 2 * paperMargins.side);
  // Rounded up, because a printed sheet may be that much taller (Chromium 153).
  const height = Math.ceil(pixels(paper.height - paperMargins.top - paperMargins.bottom));
  // Reserves room for a number in each entry during layout.
  for (const entry of entries) entry.dataset.page = '';
  const rules = `
    html, body { display: block; width: auto; height: auto; min-height: 0; padding: 0; margin: 0; }
    :root .book { position: absolute; inset: 0 auto auto 0; width: ${width}px; height: ${height}px; max-width: none; margin: 0;
      column-width: ${width}px; column-gap: ${gap}px; column-fill: auto; }
    :root .book > * { break-after: column; }
    :root .book > :last-child { break-after: auto; }`;
  onPaper(rules, () => {
    fitToPaper(book);
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
  });
}
