import { firstLine, nameChars } from './first-line.ts';
import { tidyTitle } from './title.ts';

/** Pages that have neither a title nor a heading are numbered (notebook.ts). In the editor, a title that was just taken away is empty. */
export const hasNoTitle = (page: { readonly title: string }): boolean => /^(?:Page \d+)?$/.test(page.title);

export const untitledPage = 'Untitled page';

/** The name that writers see. "Page 1" is not shown, because nobody wrote it. */
export function pageName(page: { readonly title: string; readonly text: string }): string {
  return hasNoTitle(page) ? (firstLine(asShown(page.text.slice(0, nameChars))) ?? untitledPage) : page.title;
}

/** Whether a text begins with a title that was taken from its first line: nobody needs to see it twice. */
export function opensWith(text: string, title: string): boolean {
  const start = text.slice(0, nameChars);
  const inCode = start.replace(/^(?:```|~~~)[^\n]*\n/, '');
  // The title of code has its first line as it is written, with what would be the mark of a list.
  const wanted = whole(firstLine(title) ?? '');
  return [asShown(start), inCode].some(written => {
    const line = firstLine(written);
    return line !== undefined && whole(line) === wanted;
  });
}

/** Titles are cut where lines are, but end without a space. */
const whole = (line: string) => tidyTitle(line.endsWith('…') ? line.slice(0, -1) : line);

/** The start of a fence with its language, boxes of tasks, the edges of a table's row, HTML tags; not `<https://…>` and `vector<int>`. */
const notShown = /^[ \t]*(?:```|~~~).*|^[-*+> \t]+\[[ xX]\] |^\||[ \t]\|$|<\/[a-z\d]+>|(?<!\w)<[!a-z][a-z\d-]*(?:\s[^<>]*)?>/gm;
/** Code and strong words; the groups are what is inside. */
const marked = /`([^`\n]+)`|\*\*([^*\n]+)\*\*/g;

/** Not in `firstLine`, which every page that creates a notebook would load with it. */
function asShown(markdown: string): string {
  return markdown.replaceAll(notShown, '').replaceAll(marked, '$1$2');
}
