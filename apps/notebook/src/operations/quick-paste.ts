import { limits } from '../limits.ts';
import { firstHeading } from '../markdown/heading.ts';
import { type KeepAs, pastedMarkdown } from '../markdown/pasted-text.ts';
import { pageName, untitledPage } from '../model/page-name.ts';
import { tidyTitle } from '../model/title.ts';
import { type Created, type CreationParts, createNotebook } from './create-notebook.ts';
import { requireMarkdownFits } from './read-notebook-input.ts';

export type { KeepAs } from '../markdown/pasted-text.ts';

/** Long enough to tell notebooks apart in a list, short enough for one line of it. */
const titleChars = 80;

/** A text without a heading takes its first line as title: in a trace or a log, that line says what happened. */
function firstLine(text: string): string {
  const line = /\S[^\r\n]{0,400}/.exec(text.slice(0, limits.maxTitleChars * 50))?.[0] ?? '';
  // The cut may leave half a character (a lone surrogate), which is not valid text.
  const chars = [...tidyTitle(line.replace(/[\ud800-\udbff]$/, ''))];
  return chars.length > titleChars
    ? `${chars
        .slice(0, titleChars - 1)
        .join('')
        .trimEnd()}…`
    : chars.join('');
}

/** Markdown is called as it is shown: “Bring bread”, not “- **Bring** bread”. */
function titleOf(markdown: string, text: string): string {
  const name = markdown === text ? pageName({ title: '', text }) : untitledPage;
  return name === untitledPage ? firstLine(text) : name;
}

/** A notebook of one page from pasted text (spec 1 §1): the title from the first heading, else from the first line. */
export async function quickPaste(
  parts: CreationParts,
  text: string,
  keepAs: KeepAs,
  clientKey: string,
  editToken?: string,
): Promise<Created> {
  const markdown = pastedMarkdown(text, keepAs);
  // Before it becomes a page of a list that the client did not send.
  requireMarkdownFits(markdown, 'markdown');
  const title = firstHeading(markdown) === '' ? titleOf(markdown, text) : undefined;
  return createNotebook(parts, { pages: [{ markdown }], ...(title === undefined ? {} : { title }) }, clientKey, editToken);
}
