import { urls } from '../../../urls.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';

/** Opens the print view in a new window, after saving everything typed so far. */
export async function openPrint(session: NotebookSession): Promise<string> {
  const saved = await Promise.all(session.pages.all.map(page => page.saver.finish()));
  // No `noopener`, because the result would then be the same whether the browser opened a window or blocked it.
  const opened = window.open(printUrl(session), '_blank');
  if (!opened) throw new Error('The browser blocked the window. Allow pop-ups for this site, then press again.');
  opened.opener = null;
  return saved.every(Boolean)
    ? 'The print view is in a window of its own.'
    : 'The print view shows what is saved; some text is not.';
}

/** Uses the edit link only if the view link is not open, or opening it would burn it. The print view removes the token from its address. */
function printUrl({ notebook, editToken, slug }: NotebookSession): string {
  const { visibility, lifecycle, burnAfterRead, hasPassword } = notebook;
  const open = visibility !== 'private' && lifecycle === 'active' && !burnAfterRead && !hasPassword;
  return editToken === undefined || open ? urls.print(slug) : urls.printByToken(editToken);
}
