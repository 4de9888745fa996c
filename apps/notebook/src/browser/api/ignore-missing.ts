import { ApiProblem } from './api-client.ts';

/**
 * Ignores the 404 of a deletion: someone else deleted it first, or the same person did a moment ago. A 404 of something on the way says
 * nothing about it.
 */
export function ignoreMissing(problem: unknown): void {
  if (!(problem instanceof ApiProblem && problem.code === 'not_found')) throw problem;
}
