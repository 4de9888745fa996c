import { useLayoutEffect, useReducer } from 'preact/hooks';
import type { NotebookSession } from '../session/notebook-session.ts';

/**
 * Draws the component again whenever the session says that something changed. Heard from the moment it is drawn: an effect that waits
 * for the next frame would miss what happens before.
 */
export function useSession(session: NotebookSession): void {
  const [, redraw] = useReducer((count: number, _action: undefined) => count + 1, 0);
  useLayoutEffect(() => session.listen(() => redraw(undefined)), [session]);
}

/** An action whose failure is shown as a sentence. */
export function sentenceOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : 'Something went wrong.';
}
