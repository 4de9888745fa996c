import type { ApiPage } from '../../api/types.ts';
import { limits } from '../../limits.ts';
import { ApiProblem, NoConnection } from '../api/api-client.ts';
import { retryAfterMillis, waitEndWords } from '../api/retry-after.ts';
import { withLineFeeds } from '../merge/line-feeds.ts';

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

/** True when we cannot know whether the server took the text. */
export function isUnanswered(problem: unknown): boolean {
  if (!(problem instanceof ApiProblem)) return problem instanceof NoConnection;
  // A refusal without our code comes from something on the way. A 413 still tells us that the text was not taken.
  return problem.status >= 500 || (problem.code === 'unknown' && problem.status !== 413);
}

/** True when sending the same text later may work. */
export function isTemporary(problem: unknown): boolean {
  return isUnanswered(problem) || (problem instanceof ApiProblem && problem.status === 429);
}

/** True when the notebook is full: the same text is taken once its pages hold less. */
export function isNotebookFull(problem: unknown): boolean {
  return problem instanceof ApiProblem && problem.code === 'notebook_too_large';
}

/** True when nobody, or no visitor, could write in the notebook at that moment. */
export function isWritingOff(problem: unknown): boolean {
  return problem instanceof ApiProblem && ['read_only', 'edit_token_missing'].includes(problem.code);
}

/** @returns the page as it is now, if only its title was changed meanwhile, not the text. @throws the problem otherwise */
export function requireSameText(problem: unknown, savedText: string): ApiPage {
  const theirs = problem instanceof ApiProblem ? problem.page : undefined;
  if (!theirs || withLineFeeds(theirs.markdown) !== savedText) throw problem;
  return theirs;
}

/** Tells the writer why a save failed. */
export function reasonOf(problem: unknown, now: number): string {
  if (!(problem instanceof ApiProblem)) return problem instanceof Error ? problem.message : 'The save failed.';
  const wait = retryAfterMillis(problem);
  if (problem.status === 429 && wait > 0) return `Too many changes at once. Saving goes on ${waitEndWords(wait, now)}`;
  // The reason for an outage is for the operator; the writer only needs to know what it means.
  if (problem.code === 'unavailable') return 'The service cannot save right now. It keeps trying.';
  if (problem.status === 413 && problem.code === 'unknown') return tooLongOnTheWay;
  return problem.message;
}

const tooLongOnTheWay =
  'Something between you and the service refuses texts of this length. Shorten the page, or move a part of it to another page.';
