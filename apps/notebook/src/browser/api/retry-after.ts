import { ApiProblem } from './api-client.ts';

/** A longer Retry-After is cut to this, the longest window of our own limits. */
const longestWaitSeconds = 600;

/** How long the server asked us to wait before the next request (RFC 9110 §10.2.3). */
export function retryAfterMillis(problem: unknown): number {
  const seconds = problem instanceof ApiProblem ? (problem.retryAfterSeconds ?? 0) : 0;
  return Math.min(seconds, longestWaitSeconds) * 1000;
}

/** When a wait ends, as a person would say it. @param now milliseconds since 1970 */
export function waitEndWords(millis: number, now: number): string {
  const seconds = Math.ceil(millis / 1000);
  // Not made before it is needed, because it loads the locale's data.
  if (seconds > 90) return `at ${new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' }).format(now + millis)}`;
  return seconds === 1 ? 'in 1 second' : `in ${seconds} seconds`;
}
