/** The server's answer about this page. */
export type Answer =
  | { readonly kind: 'rendered'; readonly page: Document }
  /** Not rendered yet, or no answer. `seconds` is how long the server asked us to wait. */
  | { readonly kind: 'waits'; readonly seconds: number; readonly etag?: string | undefined }
  /** The page may no longer be read. */
  | { readonly kind: 'gone' };

/** Longer than the service lets a reader wait. */
const timeoutMillis = 30_000;
const longestWaitSeconds = 86_400;

/**
 * Requests the same address with the same credentials, so access is checked as for the page itself. The browser parses the answer into a
 * document in which nothing runs, so no text has to be trusted as HTML.
 * @param etag that of the last answer
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
  // 0 means no answer at all. 408 and 429 are temporary.
  if (status === 0 || status === 304 || status === 408 || status === 429 || status >= 500) return later(request);
  if (status !== 200 || !page?.querySelector('.prose')) return { kind: 'gone' };
  return page.querySelector('[data-later]') ? later(request) : { kind: 'rendered', page };
}

function later(request: XMLHttpRequest): Answer {
  const retryAfter = request.getResponseHeader('retry-after');
  const etag = request.status === 200 ? (request.getResponseHeader('etag') ?? undefined) : undefined;
  return { kind: 'waits', seconds: retryAfter === null ? 0 : secondsOf(retryAfter), etag };
}

/** Reads seconds or a date (RFC 9110 §10.2.3). */
function secondsOf(retryAfter: string): number {
  const seconds = Number(retryAfter);
  const wait = Number.isNaN(seconds) ? (Date.parse(retryAfter) - Date.now()) / 1_000 : seconds;
  return Math.min(longestWaitSeconds, Math.max(0, wait || 0));
}
