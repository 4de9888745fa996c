import { fitFormulas } from './fit-formulas.ts';
import { fitTables } from './fit-tables.ts';

/** A4 without the margins of a printed view (on-paper.css), in CSS pixels. Letter is wider. */
const sheetWidth = 657;

// The print view calls for itself, before it counts its sheets (prepare-sheets.ts).
if (document.documentElement.dataset.kind === 'view') {
  addEventListener('beforeprint', () => onPaper(`.prose { width: ${sheetWidth}px; }`, () => fitToPaper(document)));
}

/** Breaks long words of tables that are too wide, and makes formulas that are too wide smaller. Called while the print styles hold. */
export function fitToPaper(root: ParentNode): void {
  fitTables([...root.querySelectorAll<HTMLTableElement>('.prose table')]);
  fitFormulas([...root.querySelectorAll<HTMLElement>('.prose :is(.math-display, .math-long, .math-inline)')]);
}

/**
 * Measures while the styles for print and `rules` hold. It all happens in one task, so nothing of it is painted.
 * @param rules the size of the paper
 */
export function onPaper(rules: string, measure: () => void): void {
  const paper = new CSSStyleSheet();
  paper.replaceSync(`
    html { text-rendering: geometricPrecision; }
    :root .prose .math-inline { max-width: calc(100% + 0.3em); overflow: hidden; }
    ${rules}`);
  const restore = applyPrintStyles();
  document.adoptedStyleSheets.push(paper);
  try {
    measure();
  } finally {
    document.adoptedStyleSheets.pop();
    restore();
  }
}

/** Applies the print styles to the screen, but those for small paper. @returns a function that restores the screen styles */
function applyPrintStyles(): () => void {
  const changed: [MediaList, string][] = [];
  const changeRules = (rules: CSSRuleList): void => {
    for (const rule of rules) {
      const { media } = rule as Partial<CSSMediaRule>;
      const shown = media && { print: 'all', screen: 'not all' }[media.mediaText];
      if (shown) {
        changed.push([media, media.mediaText]);
        media.mediaText = shown;
      }
      if (rule instanceof CSSGroupingRule) changeRules(rule.cssRules);
    }
  };
  for (const sheet of document.styleSheets) changeRules(sheet.cssRules);
  return () => {
    for (const [media, text] of changed) media.mediaText = text;
  };
}
