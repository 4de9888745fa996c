import { limits } from '../../limits.ts';
import { ApiProblem, NoConnection } from '../api/api-client.ts';
import { endOfWait, waitAskedMillis } from '../api/retry-after.ts';

/** The text is longer than any page may be; it is not sent. */
export class PageTooLong extends Error {
  override readonly name = 'PageTooLong';

  constructor(bytes: number) {
    const [over, most] = [bytes - limits.maxMarkdownBytes, limits.maxMarkdownBytes].map(count => count.toLocaleString('en'));
    super(
      `This page is ${over} ${bytes - limits.maxMarkdownBytes === 1 ? 'byte' : 'bytes'} too long: a page holds 1 MiB (${most} bytes). Shorten it, or move a part of it to another page.`,
    );
  }
}

/** Nobody knows whether the server took it. */
export function isUnanswered(problem: unknown): boolean {
  if (!(problem instanceof ApiProblem)) return problem instanceof NoConnection;
  // A refusal that is not ours comes from something on the way; one for the size is an answer all the same.
  return problem.status >= 500 || (problem.code === 'unknown' && problem.status !== 413);
}

/** The same text may be taken later, by itself. */
export function mayPass(problem: unknown): boolean {
  return isUnanswered(problem) || (problem instanceof ApiProblem && problem.status === 429);
}

/** The notebook is full: the same text is taken once its pages hold less. */
export function waitsForRoom(problem: unknown): boolean {
  return problem instanceof ApiProblem && problem.code === 'notebook_too_large';
}

/** What the writer is told of a save that failed. */
export function reasonOf(problem: unknown, now: number): string {
  if (!(problem instanceof ApiProblem)) return problem instanceof Error ? problem.message : 'The save failed.';
  const wait = waitAskedMillis(problem);
  if (problem.status === 429 && wait > 0) return `Too many changes at once. Saving goes on ${endOfWait(wait, now)}`;
  // The operator learns the reason of an outage; the writer learns what it means.
  if (problem.code === 'unavailable') return 'The service cannot save right now. It keeps trying.';
  return problem.message;
}
