import { useLayoutEffect, useReducer } from 'preact/hooks';
import type { NotebookSession } from '../session/notebook-session.ts';

/**
 * Renders the component again whenever the session changes. It listens from the moment it is rendered: an effect that waits
 * for the next frame would miss earlier changes.
 */
export function useSession(session: NotebookSession): void {
  const [, redraw] = useReducer((count: number, _action: undefined) => count + 1, 0);
  useLayoutEffect(() => session.listen(() => redraw(undefined)), [session]);
}

/** The sentence shown for a failed action. */
export function sentenceOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : 'Something went wrong.';
}
