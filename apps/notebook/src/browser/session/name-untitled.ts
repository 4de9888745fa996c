import { firstLine } from '../../model/first-line.ts';
import { hasNoTitle } from '../../model/page-name.ts';

export { firstLine, hasNoTitle };

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
