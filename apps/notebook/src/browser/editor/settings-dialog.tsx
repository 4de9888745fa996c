import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { NotebookChange } from '../api-types.ts';
import { Dialog } from './dialog.tsx';
import type { NotebookSession } from './notebook-session.ts';
import { Expiry, Password } from './protection-fields.tsx';
import { Check, Choice, paperNames, visibilityNames } from './setting-fields.tsx';
import { sentenceOf, useSession } from './use-session.ts';

interface SettingsDialogProps {
  readonly session: NotebookSession;
  readonly onClose: () => void;
  readonly onDelete: () => void;
}

/** Each choice is saved as it is made, and taken back when the server refuses it. */
export function SettingsDialog({ session, onClose, onDelete }: SettingsDialogProps): VNode {
  useSession(session);
  const [said, setSaid] = useState<{ words: string; bad: boolean }>();
  const change = async (wanted: NotebookChange): Promise<void> => {
    try {
      await session.changeNotebook(wanted);
      setSaid({ words: 'Saved.', bad: false });
    } catch (problem) {
      setSaid({ words: sentenceOf(problem), bad: true });
    }
  };
  return (
    <Dialog title="Settings" onClose={onClose}>
      {() => (
        <div class="stack">
          <Fields session={session} change={change} />
          <p class={said?.bad ? 'notice error' : 'notice'} role="status">
            {said?.words}
          </p>
          <p class="button-row">
            <button
              type="button"
              class="button danger"
              // Not closed first: the closing is told a moment later, and would take the next dialog with it.
              onClick={onDelete}
            >
              Delete this notebook…
            </button>
          </p>
        </div>
      )}
    </Dialog>
  );
}

function Fields({ session, change }: { session: NotebookSession; change: (wanted: NotebookChange) => Promise<void> }): VNode {
  const { notebook } = session;
  return (
    <>
      <Choice
        label="Who may read"
        value={notebook.visibility}
        options={visibilityNames}
        onChange={visibility => change({ visibility })}
      />
      <Choice label="Paper" value={notebook.paper} options={paperNames} onChange={paper => change({ paper })} />
      <Expiry expiresAt={notebook.expiresAt} change={change} />
      <Password hasPassword={notebook.hasPassword ?? false} change={change} />
      <Check
        label="Burn after reading"
        hint={
          notebook.openedAt
            ? `It was opened on ${new Date(notebook.openedAt).toLocaleString()}.`
            : 'The first reader who opens it is the only one; it is deleted the day after.'
        }
        checked={notebook.burnAfterRead}
        onChange={burnAfterRead => change({ burnAfterRead })}
      />
      <Check
        label="Open editing"
        hint="Anyone with the view link may change texts and titles and add pages. Settings and every deletion stay yours."
        checked={notebook.openEditing}
        onChange={openEditing => change({ openEditing })}
      />
      <Check
        label="Comments"
        hint="Readers may leave comments under the pages."
        checked={notebook.comments}
        onChange={comments => change({ comments })}
      />
      <Check
        label="Read-only"
        hint="No page can be changed until this is switched off again."
        checked={notebook.readOnly}
        onChange={readOnly => change({ readOnly })}
      />
    </>
  );
}
