import { findSavedNotebook, putInList } from '../device/saved-notebooks.ts';
import type { NotebookSession } from '../session/notebook-session.ts';

const name = 'keep-in-list';

/**
 * An edit link may stand in anybody's note: opening one does not put its notebook into the list of this browser. It is asked about, and
 * whoever changes it has answered.
 */
export function askAboutList(session: NotebookSession): void {
  const isOpenedOnly = () => findSavedNotebook(session.slug)?.listed === false;
  if (session.isVisitor || !isOpenedOnly()) return;
  const put = (): boolean => {
    stop();
    if (putInList(session.slug)) return true;
    session.notes.say({ name, text: 'This browser’s storage is full. Keep the edit link somewhere safe.' });
    return false;
  };
  // A sentence in the place of the other: nothing moves under whoever has begun to write.
  const told = 'You changed this notebook, so it is now in this browser’s list of notebooks.';
  const stop = session.listen(() => {
    if ((session.hasUnsaved || session.hasChanged) && isOpenedOnly() && put()) session.notes.replace({ name, text: told });
  });
  session.notes.say({
    name,
    text: 'You opened this notebook by its edit link. It is not in this browser’s list of notebooks.',
    action: { label: 'Keep it in the list', run: () => put() && session.notes.dismiss(name) },
  });
}
