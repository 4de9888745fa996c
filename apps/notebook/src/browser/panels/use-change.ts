import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { NotebookChange } from '../../api/types.ts';
import { ApiProblem } from '../api/api-client.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { isInOpenDialog } from '../ui/dialog.tsx';
import { sentenceOf } from '../ui/use-session.ts';

interface Said {
  readonly words: string;
  readonly bad: boolean;
}

/** What the panels call the settings that they change. */
const names: { readonly [Setting in keyof NotebookChange]?: string } = {
  visibility: 'Who may read',
  password: 'Password',
  expiresIn: 'Expiry',
  expiresAt: 'Expiry',
  burnAfterRead: 'Burn after reading',
  openEditing: 'Open editing',
  embedding: 'Embedding',
  readOnly: 'Read-only',
  paper: 'Paper',
  comments: 'Comments',
};

/** Changes of settings, and what the server said to the last one: in the dialog, and of a failure where that was closed, in a note. */
export function useChange(session: NotebookSession): {
  change: (wanted: NotebookChange) => Promise<void>;
  /** The same, and says whether the server took it. */
  save: (wanted: NotebookChange) => Promise<boolean>;
  said: Said | undefined;
  /** Of what shows `said`. */
  box: RefObject<HTMLParagraphElement | null>;
} {
  const box = useRef<HTMLParagraphElement>(null);
  const [said, setSaid] = useState<Said>();
  const save = async (wanted: NotebookChange): Promise<boolean> => {
    // The same words twice would be announced once.
    setSaid(undefined);
    const setting = nameOf(wanted);
    const name = `setting ${setting}`;
    try {
      await session.changeNotebook(wanted);
      setSaid({ words: 'Saved.', bad: false });
      session.notes.dismiss(name);
      return true;
    } catch (problem) {
      setSaid({ words: sentenceOf(problem), bad: true });
      if (!isInOpenDialog(box.current)) session.notes.say({ name, text: failedWords(setting, problem) });
      return false;
    }
  };
  return { change: async wanted => void (await save(wanted)), save, said, box };
}

function nameOf(wanted: NotebookChange): string {
  const [key] = Object.keys(wanted) as (keyof NotebookChange)[];
  return (key && names[key]) ?? key ?? '';
}

/** Where no answer came, the server may have done it. */
function failedWords(setting: string, problem: unknown): string {
  const outcome = problem instanceof ApiProblem ? `“${setting}” was not saved.` : `We don’t know whether “${setting}” was saved.`;
  return `${outcome} ${sentenceOf(problem)}`;
}
