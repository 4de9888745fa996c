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

function shortened(text: string): string {
  const chars = [...text.replace(/\s+/g, ' ').trim()];
  return chars.length > mostHeadChars
    ? `${chars
        .slice(0, mostHeadChars - 1)
        .join('')
        .trimEnd()}…`
    : chars.join('');
}

/**
 * Rules the style sheet cannot contain: the paper size and the running heads, with the notebook's title on the left and the page's on the
 * right.
 * @param book has the notebook's title in `data-title`, and each section the page's in `aria-label`
 */
export function pageRules(book: HTMLElement, paper: Paper): string {
  const { top, side, bottom } = paperMargins;
  const title = shortened(book.dataset.title ?? '');
  const rules = [
    `@page { size: ${paper}; margin: ${top}mm ${side}mm ${bottom}mm; @top-left { content: ${cssString(title)}; } }`,
    '@page sheet-title { @top-left { content: none; } }',
  ];
  for (const [index, section] of [...book.querySelectorAll<HTMLElement>('.book-page')].entries()) {
    const words = shortened(section.ariaLabel ?? '');
    if (words === '' || words === title) continue;
    const name = `sheet-${index}`;
    rules.push(`#${CSS.escape(section.id)} { page: ${name}; }`, `@page ${name} { @top-right { content: ${cssString(words)}; } }`);
  }
  return rules.join('\n');
}
