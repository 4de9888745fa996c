import { addToList, findSavedNotebook } from '../device/saved-notebooks.ts';
import type { NotebookSession } from '../session/notebook-session.ts';

const name = 'keep-in-list';

/**
 * Anybody may have put an edit link somewhere, so opening one does not add its notebook to this browser's list. The person is asked
 * instead, and changing the notebook counts as a yes.
 */
export function askAboutList(session: NotebookSession): void {
  const isOpenedOnly = () => findSavedNotebook(session.slug)?.listed === false;
  if (session.isVisitor || !isOpenedOnly()) return;
  const put = (): boolean => {
    stop();
    if (addToList(session.slug)) return true;
    session.notes.show({ name, tone: 'warning', text: 'This browser’s storage is full. Keep the edit link somewhere safe.' });
    return false;
  };
  // The sentence replaces the question, so that nothing moves while the person types.
  const told = 'You changed this notebook, so it is now in this browser’s list of notebooks.';
  const stop = session.listen(() => {
    if ((session.hasUnsaved || session.hasChanged) && isOpenedOnly() && put()) session.notes.replace({ name, text: told });
  });
  session.notes.show({
    name,
    text: 'You opened this notebook by its edit link. It is not in this browser’s list of notebooks.',
    action: { label: 'Keep it in the list', run: () => put() && session.notes.dismiss(name) },
  });
}
