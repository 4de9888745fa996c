import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { urls } from '../../urls.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { sentenceOf } from '../ui/use-session.ts';

export function DeleteNotebookDialog({ session, onClose }: { session: NotebookSession; onClose: () => void }): VNode {
  const [fault, setFault] = useState('');
  const [busy, setBusy] = useState(false);
  const remove = async (): Promise<void> => {
    // A second request would be refused, and the dialog would show the refusal instead of the deletion.
    if (busy) return;
    setBusy(true);
    try {
      await session.deleteNotebook();
      // A full page load (spec 1 §3), so that nothing of the deleted notebook stays in this window.
      location.assign(urls.homeAfterDelete());
    } catch (problem) {
      setFault(sentenceOf(problem));
      setBusy(false);
    }
  };
  const count = session.pages.all.length;
  return (
    <Dialog title="Delete this notebook?" onClose={onClose}>
      {close => (
        <>
          <p>
            <strong dir="auto">{session.notebook.title}</strong> with {pagesOf(count)}, its images, comments and every earlier
            version will be gone, for you and for everyone who has a link. This can’t be undone.
          </p>
          {fault && (
            <p class="notice error" role="alert">
              {fault}
            </p>
          )}
          <p class="button-row">
            <button type="button" class="button danger" aria-disabled={busy} onClick={() => void remove()}>
              Delete the notebook
            </button>
            <button type="button" class="button" onClick={close}>
              Keep it
            </button>
          </p>
        </>
      )}
    </Dialog>
  );
}

function pagesOf(count: number): string {
  if (count === 1) return 'its page';
  return count === 2 ? 'both pages' : `all ${count} pages`;
}
