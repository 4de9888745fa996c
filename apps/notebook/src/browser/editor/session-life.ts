import type { NotebookSession } from '../session/notebook-session.ts';

/** Handles a window that is hidden, closed, frozen, woken or cut off from the network. No text may be lost in any of these. */
export function guardSession(session: NotebookSession): void {
  addEventListener('beforeunload', event => {
    if (!session.hasUnsaved) return;
    session.saveAll();
    event.preventDefault();
  });
  // Phones end a page without notice, so being hidden is the last moment that is sure to come.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') session.leave();
    else void session.refresh('if old');
  });
  addEventListener('pagehide', () => {
    session.leave();
    void session.pages.deleted.carryOutAll({ keepalive: true });
  });
  document.addEventListener('freeze', () => session.leave());
  document.addEventListener('resume', () => void session.refresh('if old'));
  addEventListener('focus', () => void session.refresh('if old'));
  addEventListener('online', () => {
    session.saveAll();
    void session.refresh('now');
  });
  addEventListener('keydown', event => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's' || event.shiftKey || event.altKey) return;
    event.preventDefault();
    session.saveAll({ explicit: true });
  });
  // The back button may bring back an editor whose notebook was deleted or changed meanwhile.
  addEventListener('pageshow', event => event.persisted && !session.hasUnsaved && location.reload());
}
