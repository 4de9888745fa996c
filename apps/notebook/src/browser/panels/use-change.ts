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
    try {
      await session.changeNotebook(wanted);
      setSaid({ words: 'Saved.', bad: false });
      session.notes.dismiss('settings');
      return true;
    } catch (problem) {
      setSaid({ words: sentenceOf(problem), bad: true });
      if (!isInOpenDialog(box.current)) session.notes.say({ name: 'settings', text: failedWords(problem) });
      return false;
    }
  };
  return { change: async wanted => void (await save(wanted)), save, said, box };
}

/** Where no answer came, the server may have done it. */
function failedWords(problem: unknown): string {
  const outcome =
    problem instanceof ApiProblem ? 'Your last setting was not saved.' : 'We don’t know whether your last setting was saved.';
  return `${outcome} ${sentenceOf(problem)}`;
}
