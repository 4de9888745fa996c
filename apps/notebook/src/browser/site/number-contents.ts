import { type PaperSize, paperMargins } from './page-rules.ts';

/** Laying out more once more takes seconds: such a book has its contents without numbers. */
const mostElements = 150_000;
/** Between two columns, in CSS pixels. */
const gap = 40;
/** CSS pixels, as exact as lengths are when they are laid out: a hundred columns add up what is rounded off. */
const pixels = (millimetres: number) => Math.floor((millimetres * 96 * 64) / 25.4) / 64;

/**
 * Writes into each entry of the contents the number of the sheet that it leads to, as `data-page`.
 *
 * No browser has `target-counter` yet. So the book is laid out as it will be printed, but in columns of the size of a sheet: those are
 * broken by the same rules as sheets. All within one turn, so nothing of it is ever painted.
 */
export function numberContents(book: HTMLElement, paper: PaperSize): void {
  const entries = [...book.querySelectorAll<HTMLAnchorElement>('.book-contents a')];
  if (entries.length === 0 || book.getElementsByTagName('*').length > mostElements) return;
  const width = pixels(paper.width - 2 * paperMargins.side);
  // What is printed may be so much higher (Chromium 153).
  const height = Math.ceil(pixels(paper.height - paperMargins.top - paperMargins.bottom));
  const columns = new CSSStyleSheet();
  columns.replaceSync(`
    html { text-rendering: geometricPrecision; }
    html, body { display: block; width: auto; height: auto; min-height: 0; padding: 0; margin: 0; }
    :root .book { position: absolute; inset: 0 auto auto 0; width: ${width}px; height: ${height}px; max-width: none; margin: 0;
      column-width: ${width}px; column-gap: ${gap}px; column-fill: auto; }
    :root .book > * { break-after: column; }
    :root .book > :last-child { break-after: auto; }`);
  // Each has its room for a number while it is laid out.
  for (const entry of entries) entry.dataset.page = '';
  const restore = wearPaper();
  document.adoptedStyleSheets.push(columns);
  try {
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

/** What holds for paper holds on the screen, until the function that is answered is called. */
function wearPaper(): () => void {
  const worn: [MediaList, string][] = [];
  const turn = (rules: CSSRuleList): void => {
    for (const rule of rules) {
      if (rule instanceof CSSMediaRule && /\b(?:print|screen)\b/.test(rule.media.mediaText)) {
        worn.push([rule.media, rule.media.mediaText]);
        rule.media.mediaText = rule.media.mediaText.replace(/\bprint\b/g, 'all').replace(/\bscreen\b/g, 'not all');
      }
      if (rule instanceof CSSGroupingRule) turn(rule.cssRules);
    }
  };
  for (const sheet of document.styleSheets) turn(sheet.cssRules);
  return () => {
    for (const [media, text] of worn) media.mediaText = text;
  };
}
