import type { VNode } from 'preact';
import type { SaveState } from './autosave.ts';
import type { NotebookSession } from './notebook-session.ts';
import { useSession } from './use-session.ts';

/** Worst first: what needs the person goes before what needs only time. */
const order: readonly SaveState['kind'][] = ['conflict', 'refused', 'waiting', 'unsaved', 'saving', 'saved'];

function worstState(session: NotebookSession): SaveState {
  const states = session.pages.map(page => page.saver.state);
  return order.map(kind => states.find(state => state.kind === kind)).find(state => state !== undefined) ?? { kind: 'saved' };
}

function words(state: SaveState, keptOnDevice: boolean): string {
  const kept = keptOnDevice ? 'kept on this device' : 'not kept anywhere: do not close this window';
  switch (state.kind) {
    case 'saved':
      return 'Saved';
    case 'saving':
      return 'Saving…';
    case 'unsaved':
      return keptOnDevice ? 'Not saved yet' : 'Not saved yet, and this browser keeps no draft';
    case 'waiting':
      return `Not saved (${state.reason.replace(/\.$/, '')}); ${kept}. Trying again.`;
    case 'refused':
      return `Not saved: ${state.reason} Your text is ${kept}.`;
    case 'conflict':
      return 'Not saved: this page was changed elsewhere.';
  }
}

/** Always visible. Only what goes wrong is announced: "Saved" every few seconds would talk over the writer. */
export function SaveStateLine({ session }: { session: NotebookSession }): VNode {
  useSession(session);
  const state = worstState(session);
  const text = words(state, session.keptOnDevice);
  const trouble = state.kind === 'waiting' || state.kind === 'refused' || state.kind === 'conflict';
  return (
    <p class="save-state" data-state={state.kind}>
      <span data-save-state={state.kind}>{text}</span>
      <span class="visually-hidden" role="status">
        {trouble ? text : ''}
      </span>
    </p>
  );
}
