/** In millimeters. */
export interface PaperSize {
  readonly width: number;
  readonly height: number;
}

export const papers = {
  a4: { width: 210, height: 297 },
  letter: { width: 215.9, height: 279.4 },
} as const satisfies Record<string, PaperSize>;
export type Paper = keyof typeof papers;

/** The margins around the text, in millimeters. */
export const paperMargins = { top: 24, side: 22, bottom: 24 } as const;

const mostHeadChars = 60;

/** Escapes untrusted text as a CSS string (CSS Syntax §4.3.5), so that nothing in it can end the string. */
export function cssString(text: string): string {
  const escaped = Array.from(text, char => (/["\\\p{Cc}]/u.test(char) ? `\\${char.codePointAt(0)!.toString(16)} ` : char));
  return `"${escaped.join('')}"`;
}

/** Shortens a title until the given check says that it fits. */
function shortened(text: string, fits: (text: string) => boolean): string {
  const chars = [...text.replace(/\s+/g, ' ').trim()];
  if (chars.length <= mostHeadChars && fits(chars.join(''))) return chars.join('');
  const cut = (count: number): string => `${chars.slice(0, count).join('').trimEnd()}…`;
  let count = Math.min(chars.length, mostHeadChars) - 1;
  while (count > 1 && !fits(cut(count))) count -= 1;
  return cut(count);
}

/** The typeface of running heads, as in print.css: 9pt are 12 pixels. */
export const headFont = 'italic 12px "Source Serif 4 Variable", Georgia, serif';
/** Between the two heads of a sheet, in millimeters. */
const headGap = 4;

/** Checks whether a head leaves the other half of the line to the other one. */
function fitsHalf({ width }: PaperSize): (text: string) => boolean {
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return () => true;
  context.font = headFont;
  const half = (((width - 2 * paperMargins.side - headGap) / 2) * 96) / 25.4;
  return text => context.measureText(text).width <= half;
}

/**
 * Rules the style sheet cannot contain: the paper size and the running heads, with the notebook's title on the left and the page's on the
 * right.
 * @param book has the notebook's title in `data-title`, and each section the page's in `aria-label`
 */
export function pageRules(book: HTMLElement, paper: Paper): string {
  const { top, side, bottom } = paperMargins;
  const fits = fitsHalf(papers[paper]);
  const title = shortened(book.dataset.title ?? '', fits);
  const rules = [
    `@page { size: ${paper}; margin: ${top}mm ${side}mm ${bottom}mm; @top-left { content: ${cssString(title)}; } }`,
    '@page sheet-title { @top-left { content: none; } }',
  ];
  for (const [index, section] of [...book.querySelectorAll<HTMLElement>('.book-page')].entries()) {
    const words = shortened(section.ariaLabel ?? '', fits);
    if (words === '' || words === title) continue;
    const name = `sheet-${index}`;
    rules.push(`#${CSS.escape(section.id)} { page: ${name}; }`, `@page ${name} { @top-right { content: ${cssString(words)}; } }`);
  }
  return rules.join('\n');
}
