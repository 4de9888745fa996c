import { useState } from 'preact/hooks';
import type { NotebookChange } from '../../api/types.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { sentenceOf } from '../ui/use-session.ts';

interface Said {
  readonly words: string;
  readonly bad: boolean;
}

/** Changes of settings, and what the server said to the last one. */
export function useChange(session: NotebookSession): {
  change: (wanted: NotebookChange) => Promise<void>;
  /** The same, and says whether the server took it. */
  save: (wanted: NotebookChange) => Promise<boolean>;
  said: Said | undefined;
} {
  const [said, setSaid] = useState<Said>();
  const save = async (wanted: NotebookChange): Promise<boolean> => {
    // The same words twice would be announced once.
    setSaid(undefined);
    try {
      await session.changeNotebook(wanted);
      setSaid({ words: 'Saved.', bad: false });
      return true;
    } catch (problem) {
      setSaid({ words: sentenceOf(problem), bad: true });
      return false;
    }
  };
  return { change: async wanted => void (await save(wanted)), save, said };
}
