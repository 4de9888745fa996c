import { requireElement } from '../ui/require-element.ts';
import { headFont, type Paper, pageRules, papers } from './page-rules.ts';
import { prepareSheets } from './prepare-sheets.ts';

// The print view prints without any script. This one adds the button, the running heads and the page numbers in the contents, which no
// browser can count yet (CSS Generated Content for Paged Media, `target-counter`).
const book = requireElement<HTMLElement>('.book');
const choice = requireElement<HTMLSelectElement>('[data-print-paper]');

/** Regions that print on Letter (CLDR, paperSize). */
const letterRegions = new Set(['US', 'CA', 'MX', 'PH', 'CL', 'CO', 'CR', 'GT', 'PA', 'SV', 'VE', 'PR', 'BZ', 'NI']);

function likelyPaper(): Paper {
  try {
    return letterRegions.has(new Intl.Locale(navigator.language).maximize().region ?? '') ? 'letter' : 'a4';
  } catch {
    return 'a4';
  }
}

const rules = new CSSStyleSheet();
document.adoptedStyleSheets.push(rules);

function choosePaper(): void {
  rules.replaceSync(pageRules(book, choice.value as Paper));
}

choice.value = likelyPaper();
choosePaper();
choice.addEventListener('change', choosePaper);
// Running heads alone do not load their typeface, and their widths are measured in it.
void document.fonts.load(headFont).then(choosePaper, () => {});

// Lazy images below the screen would be missing on paper.
for (const image of book.querySelectorAll<HTMLImageElement>('img[loading="lazy"]')) image.loading = 'eager';

/** A browser without margin boxes drops such rules. It may print its own page numbers at the foot. */
function drawsPageNumbers(): boolean {
  const [page] = rules.cssRules;
  return page !== undefined && 'cssRules' in page && (page.cssRules as CSSRuleList).length > 0;
}

const numbered = drawsPageNumbers();
addEventListener('beforeprint', () => prepareSheets(book, papers[choice.value as Paper], numbered));

requireElement('[data-print-button]').addEventListener('click', () => print());
document.documentElement.dataset.book = 'ready';
