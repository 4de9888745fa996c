import { decideAccess } from './access.ts';
import type { Notebook } from './notebook.ts';

/** Settings with which strangers can find a notebook, not only open it: public, without a password, not burn-after-read. */
export function isListed(notebook: Notebook): boolean {
  return notebook.visibility === 'public' && notebook.passwordHash === null && !notebook.burnAfterRead;
}

/** Anyone with the link may read it, as often as they like: a chat that shows the link may show what it leads to. */
export function isShared(notebook: Notebook): boolean {
  return notebook.visibility !== 'private' && notebook.passwordHash === null && !notebook.burnAfterRead;
}

/** Whether search, sitemap, llms.txt and previews may list it now. A notebook that a stranger may not read is never listed. */
export function isListedNow(notebook: Notebook, now: number): boolean {
  return isListed(notebook) && decideAccess(notebook, {}, now).kind === 'reader';
}
