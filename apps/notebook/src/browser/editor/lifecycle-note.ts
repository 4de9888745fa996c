import { limits } from '../../limits.ts';
import { dayWords, momentWords } from '../device/date-words.ts';
import { openedWords } from '../device/opened-words.ts';
import type { NotebookSession } from '../session/notebook-session.ts';

const dayMs = 86_400_000;

/** Tells the owner, also while the editor is open, that nobody else can read the notebook any more: it was opened once or has expired. */
export function tellLifecycle(session: NotebookSession): void {
  let told: string | undefined;
  const tell = (): void => {
    const { openedAt, expiresAt, lifecycle } = session.notebook;
    const ended = lifecycle === 'burned' ? openedAt : lifecycle === 'expired' ? expiresAt : undefined;
    if (lifecycle !== 'expired' && session.notes.list.some(({ name }) => name === 'expired')) session.notes.dismiss('expired');
    if (ended === told) return;
    told = ended ?? undefined;
    if (!ended) return;
    if (lifecycle === 'burned')
      session.notes.show({ name: 'opened', text: `${openedWords(ended)} Nobody else can read it; it is deleted the day after.` });
    else session.notes.show({ name: 'expired', tone: 'warning', text: expiredWords(ended) });
  };
  session.listen(tell);
  tell();
}

function expiredWords(expiresAt: string): string {
  const end = dayWords(Date.parse(expiresAt) + limits.graceDays * dayMs);
  return `Expired on ${momentWords(expiresAt)}. Nobody else can read it; it is deleted after ${end}, unless you postpone that under Share.`;
}
