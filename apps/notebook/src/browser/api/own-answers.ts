import type { ApiNotebook, ApiPage } from '../../api/types.ts';
import { ApiProblem, NoConnection } from './api-client.ts';

// JSON may come from something on the way, such as a hotel's network. What it says must not pass for saved, nor for what the server has.

/** @throws NoConnection when the answer is not a page */
export function requirePage(answer: ApiPage | null): ApiPage {
  if (typeof answer?.id !== 'string' || typeof answer.markdown !== 'string' || !Number.isInteger(answer.revision))
    throw notOurs();
  return answer;
}

/** @throws NoConnection when the answer is not a notebook */
export function requireNotebook(answer: ApiNotebook | null): ApiNotebook {
  if (typeof answer?.slug !== 'string' || !answer.pages?.length) throw notOurs();
  return answer;
}

/** @throws NoConnection when the answer has no edit token */
export function requireEditToken<Answer extends { readonly editToken: string }>(answer: Answer | null): Answer {
  if (typeof answer?.editToken !== 'string') throw notOurs();
  return answer;
}

/** The device was offline before the request and after it, so nothing was sent. */
export class NotSent extends NoConnection {
  override readonly message = 'This device is offline.';
}

/**
 * Whether what the server was asked is certainly not done: it refused, or nothing was sent. A fault of ours, and an answer of something on
 * the way, do not tell whether it did what it was asked.
 */
export const isNotDone = (problem: unknown): boolean =>
  problem instanceof NotSent || (problem instanceof ApiProblem && !['unknown', 'internal'].includes(problem.code));

const notOurs = () => new NoConnection('not an answer of ours');
