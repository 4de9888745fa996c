/** The time until an answer begins, without that of sending. */
const answerMs = 60_000;

/**
 * `fetch` for lines that may be slow: the whole has no time limit, silence has one. What was sent is given up when no answer has begun in
 * time; while the answer arrives, `fetch` itself ends one that is silent for five minutes.
 * @param sendMs added for the time that sending the body may take
 * @throws TypeError as `fetch` does, or an error that says how long it waited
 */
export async function fetchWithTimeout(url: string, init: RequestInit, sendMs = 0): Promise<Response> {
  const silent = new AbortController();
  const waitMs = answerMs + sendMs;
  const timer = setTimeout(() => silent.abort(new Error(`no answer within ${waitMs / 1_000} seconds`)), waitMs);
  try {
    return await fetch(url, { ...init, signal: silent.signal });
  } finally {
    clearTimeout(timer);
  }
}
