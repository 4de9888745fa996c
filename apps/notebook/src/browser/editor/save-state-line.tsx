import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import type { NotebookSession } from '../session/notebook-session.ts';
import type { SaveState } from '../session/save-state.ts';
import { useSession } from '../ui/use-session.ts';

/** Worst first: states that need the person come before those that need only time. */
const order: readonly SaveState['kind'][] = ['lost', 'conflict', 'refused', 'waiting', 'unsaved', 'saving', 'saved'];

function worstState(session: NotebookSession): SaveState {
  const states = [session.pages.changes.state, ...session.pages.all.map(page => page.saver.state)];
  return order.map(kind => states.find(state => state.kind === kind)).find(state => state !== undefined) ?? { kind: 'saved' };
}

function words(state: SaveState, draftsKept: boolean): string {
  const kept = draftsKept ? 'kept on this device' : 'not kept on this device: do not close this window';
  switch (state.kind) {
    case 'saved':
      return 'Saved';
    case 'saving':
      return 'Saving';
    case 'unsaved':
      return draftsKept ? 'Not saved yet' : 'Not saved yet, and not kept on this device';
    case 'waiting':
      if (!state.offline) return `Not saved (${withoutStop(state.reason)}) – ${kept}`;
      return `${navigator.onLine ? 'The server can’t be reached' : 'Offline'} – ${kept}`;
    case 'refused':
      return `Not saved: ${withoutStop(state.reason)} – ${kept}${outlook(state)}`;
    case 'lost':
      return `Cannot be saved – ${kept}`;
    case 'conflict':
      return 'Not saved: changed elsewhere';
  }
}

function outlook({ waitsForSpace, triesAgain }: { waitsForSpace?: true; triesAgain?: true }): string {
  if (waitsForSpace) return ', and saved when there is room';
  return triesAgain ? '. We’ll try again' : '';
}

const withoutStop = (sentence: string) => sentence.replace(/\.$/, '');

const troubles: readonly SaveState['kind'][] = ['lost', 'waiting', 'refused', 'conflict'];

interface Said {
  readonly words: string;
  readonly isTrouble: boolean;
}

/**
 * Announces only problems and their end, because "Saved" every few seconds would talk over the writer. A problem is announced once, however
 * often its text is sent again.
 */
function nextSaid(before: Said, kind: SaveState['kind'], text: string): Said {
  if (troubles.includes(kind)) return { words: text, isTrouble: true };
  if (before.isTrouble) return kind === 'saved' ? { words: text, isTrouble: false } : before;
  return kind === 'saved' ? before : { words: '', isTrouble: false };
}

/** Always visible. */
export function SaveStateLine({ session }: { session: NotebookSession }): VNode {
  useSession(session);
  const state = worstState(session);
  const text = words(state, session.draftsKept);
  const said = useRef<Said>({ words: '', isTrouble: false });
  said.current = nextSaid(said.current, state.kind, text);
  return (
    <p class="save-state" data-state={state.kind}>
      <span data-save-state={state.kind}>{text}</span>
      {session.otherTabs > 0 && <span class="other-tabs">Open in another tab</span>}
      <span class="visually-hidden" role="status">
        {said.current.words}
      </span>
    </p>
  );
}
