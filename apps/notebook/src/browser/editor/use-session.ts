import { useEffect, useReducer } from 'preact/hooks';
import type { NotebookSession } from './notebook-session.ts';

/** Draws the component again whenever the session says that something changed. */
export function useSession(session: NotebookSession): void {
  const [, redraw] = useReducer((count: number, _action: undefined) => count + 1, 0);
  useEffect(() => session.listen(() => redraw(undefined)), [session]);
}

/** An action whose failure is shown as a sentence. */
export function sentenceOf(problem: unknown): string {
  return problem instanceof Error ? problem.message : 'Something went wrong.';
}
