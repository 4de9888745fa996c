import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { NotebookChange } from '../../api/types.ts';
import { isOwnRefusal } from '../api/own-answers.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { isInOpenDialog } from '../ui/dialog.tsx';
import { sentenceOf } from '../ui/use-session.ts';

interface Message {
  readonly words: string;
  readonly bad: boolean;
  readonly setting: string;
}

/** The settings' names in the panels. */
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

/**
 * Changes settings and tells the result: in the dialog, or, if that was closed and the change failed, in a note. Changes are sent one after
 * another, so "Saved." waits for the last, and does not hide that another setting was refused meanwhile.
 */
export function useChange(session: NotebookSession): {
  change: (wanted: NotebookChange) => Promise<void>;
  /** Does the same and resolves to whether the server accepted it. */
  save: (wanted: NotebookChange) => Promise<boolean>;
  message: Message | undefined;
  /** The element that shows `message`. */
  box: RefObject<HTMLParagraphElement | null>;
} {
  const box = useRef<HTMLParagraphElement>(null);
  const newest = useRef<NotebookChange>(undefined);
  const [message, setMessage] = useState<Message>();
  // It stands below all settings, often out of sight of the one that was refused.
  useLayoutEffect(() => {
    if (message?.bad) box.current?.scrollIntoView({ block: 'nearest' });
  }, [message]);
  const save = async (wanted: NotebookChange): Promise<boolean> => {
    // Emptied first, because the same words twice would be announced only once.
    setMessage(undefined);
    newest.current = wanted;
    const setting = nameOf(wanted);
    const name = `setting ${setting}`;
    try {
      await session.changeNotebook(wanted);
      const saved = { words: 'Saved.', bad: false, setting };
      if (newest.current === wanted) setMessage(refused => (refused && refused.setting !== setting ? refused : saved));
      session.notes.dismiss(name);
      return true;
    } catch (problem) {
      const words = failedWords(setting, problem);
      setMessage({ words, bad: true, setting });
      if (!isInOpenDialog(box.current)) session.notes.show({ name, tone: 'warning', text: words });
      return false;
    }
  };
  return { change: async wanted => void (await save(wanted)), save, message, box };
}

function nameOf(wanted: NotebookChange): string {
  const [key] = Object.keys(wanted) as (keyof NotebookChange)[];
  return (key && names[key]) ?? key ?? '';
}

/** Without an answer we cannot know whether the server did it. */
function failedWords(setting: string, problem: unknown): string {
  const outcome = isOwnRefusal(problem) ? `“${setting}” was not saved.` : `We don’t know whether “${setting}” was saved.`;
  return `${outcome} ${sentenceOf(problem)}`;
}
