/** What the server says of this page now. */
export type Answer =
  | { readonly kind: 'rendered'; readonly page: Document }
  /** Not yet, or no answer. `seconds`: how long it wants to be left alone. */
  | { readonly kind: 'waits'; readonly seconds: number; readonly etag?: string | undefined }
  /** It may not be read any more. */
  | { readonly kind: 'gone' };

/** Longer than the service lets a reader wait. */
const timeoutMillis = 30_000;
const longestWaitSeconds = 86_400;

/**
 * The same address, with whatever this browser sends to it, through the same gate. The browser parses it into a document in which nothing
 * runs, so no text has to be trusted as HTML.
 * @param etag of the last answer
 */
export async function askAgain(etag: string | undefined): Promise<Answer> {
  const request = await new Promise<XMLHttpRequest>(resolve => {
    const asking = new XMLHttpRequest();
    asking.open('GET', location.pathname + location.search);
    asking.responseType = 'document';
    asking.timeout = timeoutMillis;
    if (etag !== undefined) asking.setRequestHeader('if-none-match', etag);
    asking.addEventListener('loadend', () => resolve(asking));
    asking.send();
  });
  const { status } = request;
  const page = request.response as Document | null;
  // 0: no answer at all. 408 and 429 are of the moment.
  if (status === 0 || status === 304 || status === 408 || status === 429 || status >= 500) return later(request);
  if (status !== 200 || !page?.querySelector('.prose')) return { kind: 'gone' };
  return page.querySelector('[data-later]') ? later(request) : { kind: 'rendered', page };
}

function later(request: XMLHttpRequest): Answer {
  const retryAfter = request.getResponseHeader('retry-after');
  const etag = request.status === 200 ? (request.getResponseHeader('etag') ?? undefined) : undefined;
  return { kind: 'waits', seconds: retryAfter === null ? 0 : secondsOf(retryAfter), etag };
}

/** Seconds or a date (RFC 9110 §10.2.3). */
function secondsOf(retryAfter: string): number {
  const seconds = Number(retryAfter);
  const wait = Number.isNaN(seconds) ? (Date.parse(retryAfter) - Date.now()) / 1_000 : seconds;
  return Math.min(longestWaitSeconds, Math.max(0, wait || 0));
}
