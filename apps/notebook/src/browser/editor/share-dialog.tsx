import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { urls } from '../../urls.ts';
import { CopyField } from './copy-field.tsx';
import { Dialog } from './dialog.tsx';
import type { NotebookSession } from './notebook-session.ts';
import { sentenceOf, useSession } from './use-session.ts';

export function ShareDialog({ session, onClose }: { session: NotebookSession; onClose: () => void }): VNode {
  useSession(session);
  const { notebook, editToken, slug } = session;
  return (
    <Dialog title="Share this notebook" onClose={onClose}>
      {() => (
        <>
          <CopyField
            id="share-view"
            label="View link"
            copy="Copy view link"
            value={location.origin + urls.view(slug)}
            hint={
              notebook.visibility === 'private'
                ? 'This notebook is private: the link answers only you, until you change that in the settings.'
                : 'Anyone who has it can read. This is the link to send.'
            }
          />
          <CopyField
            id="share-edit"
            label="Edit link"
            copy="Copy edit link"
            value={location.origin + urls.editByToken(editToken ?? '')}
            hint="Whoever has it can change and delete everything. Keep it for yourself, and keep it safe: nobody can recover it."
          />
          <RotateLink session={session} />
        </>
      )}
    </Dialog>
  );
}

function RotateLink({ session }: { session: NotebookSession }): VNode {
  const [asking, setAsking] = useState(false);
  const [said, setSaid] = useState('');
  const rotate = async (): Promise<void> => {
    setAsking(false);
    try {
      await session.rotateToken();
      setSaid(
        session.keptOnDevice
          ? 'The edit link is new, and this browser remembers it. The old one opens nothing any more.'
          : 'The edit link is new, but this browser did not keep it. Copy it now.',
      );
    } catch (problem) {
      setSaid(sentenceOf(problem));
    }
  };
  return (
    <div class="rotate">
      {asking ? (
        <>
          <p>The old edit link stops working at once, for everybody who has it and in every other browser.</p>
          <p class="button-row">
            <button type="button" class="button danger" onClick={() => void rotate()}>
              Replace it
            </button>
            <button type="button" class="button" onClick={() => setAsking(false)}>
              Keep the old one
            </button>
          </p>
        </>
      ) : (
        <button type="button" class="button" onClick={() => setAsking(true)}>
          Replace the edit link
        </button>
      )}
      <p class="notice" role="status">
        {said}
      </p>
    </div>
  );
}
