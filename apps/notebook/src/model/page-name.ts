import { firstLine } from './first-line.ts';

/** Pages that have neither a title nor a heading are numbered (notebook.ts). In the editor, a title that was just taken away is empty. */
export const hasNoTitle = (page: { readonly title: string }): boolean => /^(?:Page \d+)?$/.test(page.title);

export const untitledPage = 'Untitled page';

/** What writers see. "Page 1" is not shown, because nobody wrote it. */
export function pageName(page: { readonly title: string; readonly text: string }): string {
  return hasNoTitle(page) ? (firstLine(page.text) ?? untitledPage) : page.title;
}
