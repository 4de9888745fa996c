import { firstLine } from '../device/first-line.ts';

export { firstLine };

/** The server's title for a notebook that nobody has named (model/title.ts). */
export const untitled = 'Untitled notebook';

/**
 * Derives a name for an untitled notebook from the page just saved: the page's heading, else its first line. Undefined while the
 * first line is still being written.
 */
export function nameFromText(page: { readonly title: string; readonly markdown: string }): string | undefined {
  const [, line] = /^\s*(\S[^\r\n]{0,400})[\r\n]/.exec(page.markdown.slice(0, 4_000)) ?? [];
  if (line === undefined) return undefined;
  return hasNoTitle(page) ? firstLine(line) : page.title;
}

/**
 * The server numbers pages that have neither a title nor a heading: "Page 2" (model/notebook.ts). Until it hears that a title was taken
 * away, there is none.
 */
export const hasNoTitle = (page: { readonly title: string }): boolean => /^(?:Page \d+)?$/.test(page.title);

/** The page's name in the list and in notes. "Page 1" is not shown, because nobody wrote it. */
export function pageName(page: { readonly title: string; readonly saver: { readonly text: string } }): string {
  return hasNoTitle(page) ? (firstLine(page.saver.text) ?? 'Untitled page') : page.title;
}
