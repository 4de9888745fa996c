import { expect, it } from 'vitest';
import { rateLimited } from './errors.ts';

it.each([
  [1, 'Please try again in 1 second.'],
  [90, 'Please try again in 90 seconds.'],
  [91, 'Please try again in 2 minutes.'],
  [556, 'Please try again in 10 minutes.'],
])('who has to wait %i seconds is told so in words, and exactly in Retry-After', (seconds, words) => {
  expect(rateLimited(seconds).extras).toEqual({ retryAfterSeconds: seconds, detail: words });
});
