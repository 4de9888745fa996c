import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiPage } from '../api-types.ts';
import { Dialog } from './dialog.tsx';
import type { EditorPage } from './notebook-session.ts';

interface ConflictProps {
  readonly page: EditorPage;
  readonly theirs: ApiPage;
}

/** Closing the dialog decides nothing: no side is saved or lost until a button is pressed, and a bar leads back to it. */
export function Conflict(props: ConflictProps): VNode {
  const [open, setOpen] = useState(true);
  if (open) return <ConflictDialog {...props} onClose={() => setOpen(false)} />;
  return (
    <p class="conflict-bar notice warning">
      <span>This page was changed elsewhere. Yours is not saved until you choose.</span>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        Choose a version
      </button>
    </p>
  );
}

/** Both texts side by side. */
function ConflictDialog({ page, theirs, onClose }: ConflictProps & { onClose: () => void }): VNode {
  return (
    <Dialog title="This page was changed elsewhere" wide onClose={onClose}>
      {close => (
        <>
          <p>
            Somebody saved <strong dir="auto">{theirs.title}</strong> while you were writing. Nothing is overwritten until you
            choose. The version that you do not keep stays within reach: theirs under “Versions”, yours by undo.
          </p>
          <div class="versions">
            <Version id="mine" name="Your version" text={page.saver.text} />
            <Version id="theirs" name="Their version" text={theirs.markdown} />
          </div>
          <p class="button-row">
            <button
              type="button"
              class="button primary"
              onClick={() => {
                close();
                void page.saver.keepMine();
              }}
            >
              Keep mine
            </button>
            <button
              type="button"
              class="button"
              onClick={() => {
                close();
                page.saver.take(theirs);
              }}
            >
              Keep theirs
            </button>
          </p>
        </>
      )}
    </Dialog>
  );
}

function Version({ id, name, text }: { id: string; name: string; text: string }): VNode {
  return (
    <div class="field">
      <label class="label" for={`version-${id}`}>
        {name}
      </label>
      <textarea id={`version-${id}`} readOnly rows={14} dir="auto" defaultValue={text} />
    </div>
  );
}
