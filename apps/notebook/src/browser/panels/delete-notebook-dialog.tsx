import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { urls } from '../../urls.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { sentenceOf } from '../ui/use-session.ts';

export function DeleteNotebookDialog({ session, onClose }: { session: NotebookSession; onClose: () => void }): VNode {
  const [fault, setFault] = useState('');
  const remove = async (): Promise<void> => {
    try {
      await session.deleteNotebook();
      // A full page load (spec 1 §3), so that nothing of the deleted notebook stays in this window.
      location.assign(urls.homeAfterDelete());
    } catch (problem) {
      setFault(sentenceOf(problem));
    }
  };
  const count = session.pages.all.length;
  return (
    <Dialog title="Delete this notebook?" onClose={onClose}>
      {close => (
        <>
          <p>
            <strong dir="auto">{session.notebook.title}</strong> with {count === 1 ? 'its page' : `all ${count} pages`}, its
            images, comments and every earlier version will be gone, for you and for everybody who has a link. This cannot be
            taken back.
          </p>
          {fault && (
            <p class="notice error" role="alert">
              {fault}
            </p>
          )}
          <p class="button-row">
            <button type="button" class="button danger" onClick={() => void remove()}>
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
