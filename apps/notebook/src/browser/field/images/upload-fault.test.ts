import { describe, expect, it } from 'vitest';
import { ApiProblem, NoConnection } from '../../api/api-client.ts';
import { faultOf, Unsendable } from './upload-fault.ts';

const refused = (status: number, code: string, title: string, retryAfter?: number) =>
  new ApiProblem(new Response(null, { status, headers: retryAfter ? { 'retry-after': String(retryAfter) } : {} }), {
    code,
    title,
  });
const store = 'The image store did not accept that file.';

describe('an image that did not arrive', () => {
  it.each([
    [refused(429, 'rate_limited', 'Too many', 512), 'Try again in 9 minutes.', true],
    [refused(429, 'rate_limited', 'Too many', 90), 'Try again in 90 seconds.', true],
    [refused(429, 'rate_limited', 'Too many', 1), 'Try again in 1 second.', true],
    [refused(502, 'image_store_failed', store), `${store} It may be out of reach for a while: try again in a minute.`, true],
    [refused(409, 'image_limit', 'Full.'), 'Full.', true],
    [refused(415, 'image_rejected', store), store, false],
    [refused(413, 'too_large', 'Large.'), 'Large.', false],
    [new NoConnection(undefined), 'The server cannot be reached. Try again when there is a connection.', true],
    [Unsendable.unreadable('It is empty.'), `${store} It is empty.`, false],
    [
      Unsendable.tooLarge(6_000_000, false),
      'It is 5.7 MB and can’t be shrunk here; the limit is 5 MB. Choose a smaller one.',
      false,
    ],
    [Unsendable.tooLarge(6_000_000, true), 'It is 5.7 MB even after shrinking; the limit is 5 MB. Choose a smaller one.', false],
  ])('%s', (problem, words, canRetry) => {
    expect(faultOf(problem).reason).toContain(words);
    expect(faultOf(problem).canRetry).toBe(canRetry);
  });
});
