import { ApiProblem } from './api-client.ts';

/** What is to be deleted is gone already: somebody else did it first, or the same person a moment ago. */
export function ignoreMissing(problem: unknown): void {
  if (!(problem instanceof ApiProblem && problem.status === 404)) throw problem;
}
