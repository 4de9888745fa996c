import type { VNode } from 'preact';
import { embedCode } from '../../../embed-code.ts';
import { openedWords } from '../../device/opened-words.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { CopyField } from '../../ui/copy-field.tsx';
import { ChangeOutcome } from '../change-outcome.tsx';
import { Expiry, Password } from '../protection-fields.tsx';
import { Check, Choice, visibilityNames } from '../setting-fields.tsx';
import { useChange } from '../use-change.ts';

/** Each choice is saved at once and reverted if the server refuses it. */
export function SharingFields({ session }: { session: NotebookSession }): VNode {
  const { notebook } = session;
  const { change, save, outcome, box } = useChange(session);
  return (
    <div class="stack">
      <Choice
        label="Who may read"
        value={notebook.visibility}
        options={visibilityNames}
        onChange={visibility => change({ visibility })}
      />
      <Password hasPassword={notebook.hasPassword ?? false} save={save} />
      <Expiry notebook={notebook} change={change} />
      <Check
        label="Burn after reading"
        hint={
          notebook.openedAt
            ? openedWords(notebook.openedAt)
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
        label="Embedding"
        hint="Other sites can show this notebook in a frame. Works while it is public or unlisted, without a password and without burn after reading."
        checked={notebook.embedding ?? false}
        onChange={embedding => change({ embedding })}
      />
      {notebook.embedding && (
        <CopyField
          id="share-embed"
          label="Embed code"
          copy="Copy embed code"
          value={embedCode(location.origin, notebook)}
          hint="Paste it into the HTML of another site."
        />
      )}
      <Check
        label="Read-only"
        hint="No page can be changed, not even by you, until this is switched off again."
        checked={notebook.readOnly}
        onChange={readOnly => change({ readOnly })}
      />
      <ChangeOutcome outcome={outcome} box={box} />
    </div>
  );
}
