import { ApiProblem } from './api-client.ts';

/** Ignores the 404 of a deletion: someone else deleted it first, or the same person did a moment ago. */
export function ignoreMissing(problem: unknown): void {
  if (!(problem instanceof ApiProblem && problem.status === 404)) throw problem;
}
