import { decideAccess } from './access.ts';
import type { Notebook } from './notebook.ts';

/** Settings that let strangers find a notebook, and not only open it: public, unlocked, to be read more than once. */
export function isListed(notebook: Notebook): boolean {
  return notebook.visibility === 'public' && notebook.passwordHash === null && !notebook.burnAfterRead;
}

/** Whoever has the link may read it, as often as they like: a chat that shows the link may show what it leads to. */
export function isShared(notebook: Notebook): boolean {
  return notebook.visibility !== 'private' && notebook.passwordHash === null && !notebook.burnAfterRead;
}

/** May search, sitemap, llms.txt and previews speak of it now? What the gate would not let a stranger read is never listed. */
export function isListedNow(notebook: Notebook, now: number): boolean {
  return isListed(notebook) && decideAccess(notebook, {}, now).kind === 'reader';
}
