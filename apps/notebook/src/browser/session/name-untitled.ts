/** What the server calls a notebook that nobody has named (model/title.ts). */
export const untitled = 'Untitled notebook';

const titleChars = 80;

/**
 * A name for a notebook that has none, of the page that was just saved: the page's heading, else its first line. Undefined while the
 * first line is still being written.
 */
export function nameFromText(page: { readonly title: string; readonly markdown: string }): string | undefined {
  const [, line] = /^\s*(\S[^\r\n]{0,400})[\r\n]/.exec(page.markdown.slice(0, 4_000)) ?? [];
  if (line === undefined) return undefined;
  return hasNoTitle(page) ? shortened(line) : page.title;
}

/** The server counts pages that have neither a title nor a heading (model/notebook.ts). */
export const hasNoTitle = (page: { readonly title: string }): boolean => /^Page \d+$/.test(page.title);

/** What the list calls a page without a title: its first line as it is being written. Undefined while it has no word. */
export function firstLine(markdown: string): string | undefined {
  const [line] = /\S[^\r\n]{0,400}/.exec(markdown.slice(0, 4_000)) ?? [];
  return line === undefined ? undefined : shortened(line);
}

function shortened(line: string): string | undefined {
  const chars = [...line.replace(/^[-*+>\s]+/, '').trimEnd()];
  if (chars.length === 0) return undefined;
  return chars.length > titleChars ? `${chars.slice(0, titleChars - 1).join('')}…` : chars.join('');
}
