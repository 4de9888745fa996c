import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';

interface DeletedNoticesProps {
  readonly session: NotebookSession;
  readonly onUndo: (page: EditorPage) => void;
}

/** One line for each page that can still be restored. */
export function DeletedNotices({ session, onUndo }: DeletedNoticesProps): VNode {
  return (
    <>
      {session.pages.deleted.all.map(({ page }) => (
        <DeletedNotice key={page.key} page={page} session={session} onUndo={() => onUndo(page)} />
      ))}
    </>
  );
}

function DeletedNotice({ page, session, onUndo }: { page: EditorPage; session: NotebookSession; onUndo: () => void }): VNode {
  const button = useRef<HTMLButtonElement>(null);
  const hold = (): void => session.pages.deleted.hold(page.id);
  const release = (): void => session.pages.deleted.release(page.id);
  // The button that deleted the page is gone, and the focus with it.
  useEffect(() => {
    if (document.activeElement === document.body) button.current?.focus();
  }, []);
  return (
    <p class="deleted-notice" onPointerEnter={hold} onPointerLeave={release}>
      <span>
        Deleted “<bdi>{page.name}</bdi>”.
      </span>
      <button
        ref={button}
        type="button"
        class="button"
        aria-label={`Undo deleting ${page.name}`}
        // Only for people who came by keyboard: after a click on "Delete" the focus is here without their doing.
        onFocus={event => event.currentTarget.matches(':focus-visible') && hold()}
        onBlur={release}
        onClick={onUndo}
      >
        Undo
      </button>
    </p>
  );
}
