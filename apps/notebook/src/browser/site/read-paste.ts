import type { ApiCreated } from '../../api/types.ts';
import { firstHeading } from '../../markdown/heading.ts';
import { guessPastedText, pastedMarkdown } from '../../markdown/pasted-text.ts';
import { createNotebook } from '../api/api-client.ts';
import { createOnce } from './create-once.ts';
import { quickCreate } from './quick-create.ts';

/** `code` keeps the lines as they are. */
type KeepAs = 'markdown' | 'code';

/** A log, a trace, a diff or code: its lines are worth keeping. */
export function looksVerbatim(text: string): boolean {
  return guessPastedText(text).kind === 'verbatim';
}

/** A notebook that opens once, of a pasted text. */
function burningNotebook(text: string, keepAs: KeepAs) {
  const markdown = pastedMarkdown(text, keepAs);
  // Lists show titles, so the first line of a secret is none.
  return { title: firstHeading(markdown) || 'Opens once', burnAfterRead: true, pages: [{ markdown }] } as const;
}

/** One request. A burning notebook is made with its setting, so that there is no moment in which it could be read twice. */
export function publish(text: string, keepAs: KeepAs, burns: boolean): Promise<ApiCreated> {
  return createOnce(keepAs + burns + text, key =>
    burns ? createNotebook(burningNotebook(text, keepAs), key) : quickCreate(text, keepAs, key),
  );
}
