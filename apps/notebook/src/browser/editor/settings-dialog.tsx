import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Paper, Visibility } from '../../model/notebook.ts';
import type { NotebookChange } from '../api-types.ts';
import { Dialog } from './dialog.tsx';
import type { NotebookSession } from './notebook-session.ts';
import { sentenceOf, useSession } from './use-session.ts';

const paperNames: Record<Paper, string> = { plain: 'Plain', lined: 'Lined', grid: 'Grid', dotted: 'Dotted', kraft: 'Kraft' };

/** What the server enforces today. `public` joins the list for notebooks that are public already. */
const visibilityNames: Record<Visibility, string> = {
  public: 'Public: anyone, and search engines',
  unlisted: 'Unlisted: anyone who has the link',
  private: 'Private: only with the edit link',
};

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
  const { notebook } = session;
  return (
    <Dialog title="Settings" onClose={onClose}>
      {() => (
        <div class="stack">
          <VisibilityChoice value={notebook.visibility} onChange={visibility => change({ visibility })} />
          <div class="field">
            <label class="label" for="setting-paper">
              Paper
            </label>
            <select
              id="setting-paper"
              value={notebook.paper}
              onChange={event => void change({ paper: event.currentTarget.value as Paper })}
            >
              {Object.entries(paperNames).map(([paper, name]) => (
                <option key={paper} value={paper}>
                  {name}
                </option>
              ))}
            </select>
          </div>
          <label class="check">
            <input
              type="checkbox"
              checked={notebook.readOnly}
              onChange={event => void change({ readOnly: event.currentTarget.checked })}
            />
            <span>
              Read-only <span class="hint">No page can be changed until this is switched off again.</span>
            </span>
          </label>
          <p class={said?.bad ? 'notice error' : 'notice'} role="status">
            {said?.words}
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

function VisibilityChoice({ value, onChange }: { value: Visibility; onChange: (value: Visibility) => void }): VNode {
  const offered = (Object.keys(visibilityNames) as Visibility[]).filter(name => name !== 'public' || value === 'public');
  return (
    <div class="field">
      <label class="label" for="setting-visibility">
        Who may read
      </label>
      <select id="setting-visibility" value={value} onChange={event => onChange(event.currentTarget.value as Visibility)}>
        {offered.map(name => (
          <option key={name} value={name}>
            {visibilityNames[name]}
          </option>
        ))}
      </select>
    </div>
  );
}
