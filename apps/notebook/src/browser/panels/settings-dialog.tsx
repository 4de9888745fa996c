import type { VNode } from 'preact';
import type { NotebookSession } from '../session/notebook-session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { useSession } from '../ui/use-session.ts';
import { ChangeOutcome } from './change-outcome.tsx';
import { Check, Choice, paperNames } from './setting-fields.tsx';
import { useChange } from './use-change.ts';

interface SettingsDialogProps {
  readonly session: NotebookSession;
  readonly onClose: () => void;
  readonly onShare: () => void;
  readonly onDelete: () => void;
}

/** Each choice is saved at once and reverted if the server refuses it. Settings that concern readers are in the share panel. */
export function SettingsDialog({ session, onClose, onShare, onDelete }: SettingsDialogProps): VNode {
  useSession(session);
  const { notebook } = session;
  const { change, outcome, box } = useChange(session);
  return (
    <Dialog title="Settings" onClose={onClose}>
      {() => (
        <div class="stack">
          <Choice label="Paper" value={notebook.paper} options={paperNames} onChange={paper => change({ paper })} />
          <Check
            label="Comments"
            hint="Readers may leave comments under the pages."
            checked={notebook.comments}
            onChange={comments => change({ comments })}
          />
          <ChangeOutcome outcome={outcome} box={box} />
          {/* Neither button closes this dialog first: its close event comes a moment later and would close the next dialog too. */}
          <p class="hint">
            Who may read, password, expiry, burn after reading, open editing, embedding and read-only are under{' '}
            <button type="button" class="button inline" onClick={onShare}>
              Share
            </button>
          </p>
          <p class="button-row">
            <button type="button" class="button danger" onClick={onDelete}>
              Delete this notebook…
            </button>
          </p>
        </div>
      )}
    </Dialog>
  );
}
