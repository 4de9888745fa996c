import { openedWords } from '../device/opened-words.ts';
import type { NotebookSession } from '../session/notebook-session.ts';

/** The owner of a notebook that opens once learns when it was opened, also while the editor is open. */
export function tellOpened(session: NotebookSession): void {
  let told: string | undefined;
  const tell = (): void => {
    const { openedAt, lifecycle } = session.notebook;
    if (!openedAt || lifecycle !== 'burned' || openedAt === told) return;
    told = openedAt;
    session.notes.say({ name: 'opened', text: `${openedWords(openedAt)} Nobody else can read it; it is deleted the day after.` });
  };
  session.listen(tell);
  tell();
}
