import { urls } from '../../../urls.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';

/** The print view in a window of its own, with everything that was typed up to now. */
export async function openPrint(session: NotebookSession): Promise<string> {
  const saved = await Promise.all(session.pages.all.map(page => page.saver.finish()));
  // Not `noopener`: with it the answer is the same whether the browser opened a window or blocked it.
  const opened = window.open(printUrl(session), '_blank');
  if (!opened) throw new Error('The browser blocked the window. Allow pop-ups for this site, then press again.');
  opened.opener = null;
  return saved.every(Boolean)
    ? 'The print view is in a window of its own.'
    : 'The print view shows what is saved; some text is not.';
}

/** With the edit link only where the view link answers nobody, or would be used up: the print view takes it out of its address. */
function printUrl({ notebook, editToken, slug }: NotebookSession): string {
  const { visibility, lifecycle, burnAfterRead, hasPassword } = notebook;
  const open = visibility !== 'private' && lifecycle === 'active' && !burnAfterRead && !hasPassword;
  return editToken === undefined || open ? urls.print(slug) : urls.printByToken(editToken);
}
