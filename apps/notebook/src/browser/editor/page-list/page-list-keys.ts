import type { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import type { PageListActions } from './page-actions.ts';

type KeyHandler = (event: KeyboardEvent) => void;

/** Keys of the list: arrows go through it, Alt+arrow moves the page, Delete deletes, Ctrl+Z undoes a deletion. */
export function pageListKeys(session: NotebookSession, acts: PageListActions): KeyHandler {
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
    else if (event.key === 'Delete' && !event.altKey && !session.isVisitor) acts.remove(page);
    else return;
    event.preventDefault();
  };
}

/**
 * F2 renames the page whose row has the focus, and the open one from everywhere else in the list and from the toolbar. Fields keep the key:
 * browser extensions and input methods use it there.
 * @param start told the page and the element that had the focus
 */
export function listenForRename(session: NotebookSession, start: (page: EditorPage, from: HTMLElement) => void): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const { target: from } = event;
    if (event.key !== 'F2' || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (!(from instanceof HTMLElement) || !from.closest('.page-list, .toolbar') || from.closest('dialog, input, select')) return;
    event.preventDefault();
    const row = from.closest<HTMLElement>('[data-page]');
    start(session.pages.find(row?.dataset.page ?? '') ?? session.current, from);
  };
  document.addEventListener('keydown', onKey);
  return () => document.removeEventListener('keydown', onKey);
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
