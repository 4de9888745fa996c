import type { NotebookSession } from '../../session/notebook-session.ts';
import type { PageListActions } from './page-actions.ts';

type KeyHandler = (event: KeyboardEvent) => void;

/** Keys of the list: arrows go through it, Alt+arrow moves the page, F2 renames, Delete deletes, Ctrl+Z undoes a deletion. */
export function pageListKeys(
  session: NotebookSession,
  acts: PageListActions,
  startRename: (pageKey: string) => void,
): KeyHandler {
  return event => {
    if (isUndo(event)) return undoLast(event, session, acts);
    const row = (event.target as Element).closest<HTMLElement>('.page-pick')?.closest<HTMLElement>('[data-page]');
    const from = session.pages.all.findIndex(page => page.id === row?.dataset.page);
    const page = session.pages.all[from];
    if (!row || !page || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const to = target(event.key, from, session.pages.all.length);
    if (to !== undefined && event.altKey) {
      if (!session.isVisitor) void acts.move(page.id, to);
    } else if (to !== undefined) acts.focusPlace(to);
    else if (event.key === 'F2' && !event.altKey) startRename(page.key);
    else if (event.key === 'Delete' && !event.altKey && !session.isVisitor) acts.remove(page);
    else return;
    event.preventDefault();
  };
}

function target(key: string, from: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowUp':
      return Math.max(0, from - 1);
    case 'ArrowDown':
      return Math.min(count - 1, from + 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}

function isUndo(event: KeyboardEvent): boolean {
  const command = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
  return command && event.key.toLowerCase() === 'z' && !(event.target instanceof HTMLInputElement);
}

function undoLast(event: KeyboardEvent, session: NotebookSession, acts: PageListActions): void {
  const last = session.pages.deleted.all.at(-1);
  if (!last) return;
  event.preventDefault();
  acts.undoDelete(last.page);
}
