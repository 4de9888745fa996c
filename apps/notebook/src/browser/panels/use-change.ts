import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { NotebookChange } from '../../api/types.ts';
import { isNotDone } from '../api/own-answers.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { isInOpenDialog } from '../ui/dialog.tsx';
import { sentenceOf } from '../ui/use-session.ts';

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

/** The outcome of the changes. */
export interface Outcome {
  /** Why settings were refused, in words, by the setting's name. */
  readonly refused: ReadonlyMap<string, string>;
  /** Which setting was saved last, until the next choice. */
  readonly saved: string | undefined;
}

/**
 * Changes settings and tells the result: in the dialog, or, if that was closed and the change failed, in a note. Changes are sent one after
 * another, so "Saved." waits for the last. The reason of a refusal stays until its own setting is chosen anew: no other one stores it.
 */
export function useChange(session: NotebookSession): {
  change: (wanted: NotebookChange) => Promise<void>;
  /** Does the same and resolves to whether the server accepted it. */
  save: (wanted: NotebookChange) => Promise<boolean>;
  outcome: Outcome;
  /** The element that shows `outcome`. */
  box: RefObject<HTMLDivElement | null>;
} {
  const box = useRef<HTMLDivElement>(null);
  const newest = useRef<NotebookChange>(undefined);
  const [refused, setRefused] = useState<Outcome['refused']>(new Map());
  const [saved, setSaved] = useState<string>();
  // It stands below all settings, often out of sight of the one that was refused.
  useLayoutEffect(() => {
    if (refused.size > 0) box.current?.scrollIntoView({ block: 'nearest' });
  }, [refused]);
  const save = async (wanted: NotebookChange): Promise<boolean> => {
    newest.current = wanted;
    const setting = nameOf(wanted);
    const name = `setting ${setting}`;
    // Emptied first, because the same words twice would be announced only once.
    setSaved(undefined);
    setRefused(others => without(others, setting));
    try {
      await session.changeNotebook(wanted);
      if (newest.current === wanted) setSaved(setting);
      setRefused(others => without(others, setting));
      session.notes.dismiss(name);
      return true;
    } catch (problem) {
      const words = failedWords(setting, problem);
      setRefused(others => new Map(without(others, setting)).set(setting, words));
      if (!isInOpenDialog(box.current)) session.notes.show({ name, tone: 'warning', text: words });
      return false;
    }
  };
  return { change: async wanted => void (await save(wanted)), save, outcome: { refused, saved }, box };
}

/** The same map if there is nothing to take out, so that nothing is drawn anew. */
function without(refused: Outcome['refused'], setting: string): Outcome['refused'] {
  return refused.has(setting) ? new Map([...refused].filter(([name]) => name !== setting)) : refused;
}

function nameOf(wanted: NotebookChange): string {
  const [key] = Object.keys(wanted) as (keyof NotebookChange)[];
  return (key && names[key]) ?? key ?? '';
}

/** Without an answer we cannot know whether the server did it. */
function failedWords(setting: string, problem: unknown): string {
  const outcome = isNotDone(problem) ? `“${setting}” was not saved.` : `We don’t know whether “${setting}” was saved.`;
  return `${outcome} ${sentenceOf(problem)}`;
}
