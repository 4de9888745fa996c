import type { ApiCreated } from '../../api/types.ts';
import { limits } from '../../limits.ts';
import { firstHeading } from '../../markdown/heading.ts';
import { guessPastedText, pastedMarkdown } from '../../markdown/pasted-text.ts';
import { createNotebook, NoConnection } from '../api/api-client.ts';
import { createOnce } from './create-once.ts';
import { findCreated } from './find-created.ts';
import { quickCreate } from './quick-create.ts';

export { findCreated };

/** `code` keeps the lines as they are. */
type KeepAs = 'markdown' | 'code';

/** A hint for logs, traces, diffs and code, whose lines are probably worth keeping. Empty for other texts. */
export function verbatimHint(text: string): string {
  const isVerbatim = guessPastedText(text).kind === 'verbatim';
  return isVerbatim ? 'Looks like a log or code. Clear the box to publish it as Markdown.' : '';
}

/** A notebook that opens once, made from pasted text. */
function burningNotebook(text: string, keepAs: KeepAs) {
  const markdown = pastedMarkdown(text, keepAs);
  // Lists show titles, so the first line of a secret must not become one.
  return { title: firstHeading(markdown) || 'Opens once', burnAfterRead: true, pages: [{ markdown }] } as const;
}

const tooLongWords = (bytes: number) =>
  `Your text is too long: ${bytes.toLocaleString('en')} bytes, at most 1 MiB (${limits.maxMarkdownBytes.toLocaleString('en')} bytes). Publish it in parts, or import it as several files.`;

/** Sends one request. A burning notebook is created with its setting, so that it can never be read twice. */
export async function publish(text: string, keepAs: KeepAs, burns: boolean): Promise<ApiCreated> {
  const bytes = new Blob([text]).size;
  if (bytes > limits.maxMarkdownBytes) throw new Error(tooLongWords(bytes));
  const created = await createOnce(keepAs + burns + text, key =>
    burns ? createNotebook(burningNotebook(text, keepAs), key) : quickCreate(text, keepAs, key),
  ).catch(problem => {
    throw problem instanceof NoConnection ? new Error(`${problem.message} Your text is still here. Try again.`) : problem;
  });
  // Finds notebooks from unanswered tries with an earlier text.
  void findCreated();
  return created;
}
