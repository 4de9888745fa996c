import { limits } from '../../../limits.ts';
import { ApiProblem, NoConnection } from '../../api/api-client.ts';
import { sentenceOf } from '../../ui/use-session.ts';

/** The message about an image that did not arrive. */
export interface UploadFault {
  /** Says what happened, and what the person can do about it. */
  readonly reason: string;
  /** Says what is special about this file, for a list of several. */
  readonly detail?: string;
  /** Whether sending the same file again later may work. */
  readonly canRetry: boolean;
}

const notAccepted = 'The image store did not accept that file.';

/** The file itself cannot be sent. */
export class Unsendable extends Error {
  override readonly name = 'Unsendable';
  readonly detail: string;

  constructor(detail: string) {
    super(`${notAccepted} ${detail}`);
    this.detail = detail;
  }

  static unreadable(why: string): Unsendable {
    return new Unsendable(why);
  }

  static tooLarge(bytes: number, shrunk: boolean): Unsendable {
    const size = `It is ${megabytes(bytes)} MB${shrunk ? ' even after shrinking' : ' and can’t be shrunk here'}`;
    return new Unsendable(`${size}; the limit is ${megabytes(limits.maxImageBytes)} MB. Choose a smaller one.`);
  }
}

export function faultOf(problem: unknown): UploadFault {
  if (problem instanceof NoConnection)
    return { reason: `${problem.message} Try again when there is a connection.`, canRetry: true };
  if (problem instanceof Unsendable) return { reason: problem.message, detail: problem.detail, canRetry: false };
  if (!(problem instanceof ApiProblem)) return { reason: sentenceOf(problem), canRetry: true };
  if (problem.code === 'rate_limited') {
    const reason = `Too many images came from this connection. Try again in ${waitOf(problem.retryAfterSeconds ?? 60)}.`;
    return { reason, canRetry: true };
  }
  if (problem.code === 'image_store_failed')
    return { reason: `${problem.message} It may be out of reach for a while: try again in a minute.`, canRetry: true };
  return { reason: problem.message, canRetry: problem.code !== 'image_rejected' && problem.code !== 'too_large' };
}

const megabytes = (bytes: number) => (bytes / 1_048_576).toFixed(1).replace(/\.0$/, '');

function waitOf(seconds: number): string {
  if (seconds > 90) return `${Math.ceil(seconds / 60)} minutes`;
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
