import type { NotebookSession } from '../session/notebook-session.ts';

const dayMs = 86_400_000;
/** The server's clock may be behind the time it wrote down by as much as the network takes. */
const afterwardsMs = 1_000;
/** How often to ask a server that says the time has not come yet: this device's clock is fast. */
const againMs = 60_000;

/**
 * Asks the server when the notebook is due to expire, because only its clock counts: an editor that stays open must not go on saying that
 * readers can open the link.
 */
export function watchExpiry(session: NotebookSession): void {
  let askedAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = (): void => {
    clearTimeout(timer);
    const { expiresAt, lifecycle } = session.notebook;
    if (expiresAt === null || lifecycle !== 'active' || session.lost) return;
    const wait = Math.max(Date.parse(expiresAt) + afterwardsMs, askedAt + againMs) - Date.now();
    if (wait > 0) {
      // A timer holds 24 days at most, and stands still while the device sleeps.
      timer = setTimeout(check, Math.min(wait, dayMs));
      return;
    }
    askedAt = Date.now();
    void session.refresh('now').then(check);
  };
  session.listen(check);
  check();
}
