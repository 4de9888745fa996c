import { SamlError } from '../errors.ts';
import { isSafeEndpoint } from '../values/safe-endpoint.ts';

/** The fetched bytes, or that nothing has changed. */
export type Fetched = { changed: true; bytes: Uint8Array; etag: string | undefined } | { changed: false };

/** How to fetch. */
export interface MetadataFetch {
  fetch: typeof globalThis.fetch;
  timeoutSeconds: number;
  maxBytes: number;
  /** ETag of the copy in use. */
  etag?: string | undefined;
}

const maxRedirects = 3;

/** Reads a body up to a size limit, whatever Content-Length says. */
async function readBody(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new SamlError('SAML_MESSAGE_TOO_LARGE', `the metadata is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** An answer that is neither metadata nor a redirect. */
export class UnexpectedStatus extends SamlError {
  readonly received: number;

  constructor(received: number) {
    super('SAML_METADATA_FETCH', `the metadata source responded with status ${received}`);
    this.received = received;
  }
}

/** Where a redirect leads: only to a safe address, and never from https to http, not even on this machine. */
function nextAddress(location: string, from: string): string {
  const to = URL.canParse(location, from) ? new URL(location, from).href : '';
  const downgraded = from.startsWith('https:') && !to.startsWith('https:');
  if (!isSafeEndpoint(to) || downgraded)
    throw new SamlError('SAML_METADATA_FETCH', 'the metadata source redirects to an unsafe address');
  return to;
}

async function follow(start: string, { fetch, timeoutSeconds, maxBytes, etag }: MetadataFetch): Promise<Fetched> {
  const signal = AbortSignal.timeout(timeoutSeconds * 1000);
  const headers = {
    accept: 'application/samlmetadata+xml, application/xml',
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
  };
  let url = start;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const response = await fetch(url, { redirect: 'manual', signal, headers });
    if (response.status === 200)
      return { changed: true, bytes: await readBody(response, maxBytes), etag: response.headers.get('etag') ?? undefined };
    await response.body?.cancel();
    if (response.status === 304 && etag !== undefined) return { changed: false };
    const location = response.headers.get('location');
    if (![301, 302, 307, 308].includes(response.status) || location === null) throw new UnexpectedStatus(response.status);
    url = nextAddress(location, url);
  }
  throw new SamlError('SAML_METADATA_FETCH', 'the metadata source redirects too many times');
}

/**
 * Fetches metadata, following 301, 302, 307 and 308 to safe addresses only.
 * @throws SamlError `SAML_METADATA_FETCH` or `SAML_MESSAGE_TOO_LARGE`
 */
export async function fetchMetadata(url: string, how: MetadataFetch): Promise<Fetched> {
  try {
    return await follow(url, how);
  } catch (cause) {
    if (cause instanceof SamlError) throw cause;
    throw new SamlError('SAML_METADATA_FETCH', 'the metadata source did not respond', { cause });
  }
}
