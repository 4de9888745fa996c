import { createHash } from 'node:crypto';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Capture } from '../analytics/events.ts';
import { clientKey } from '../http/addresses/client-ip.ts';
import { chooseCoding, type FinishedPage } from '../http/answers/compressed.ts';
import type { Drawn, PageCache } from '../http/answers/page-cache.ts';
import { readerCookieName, unlockCookieName } from '../model/cookies.ts';
import type { Notebook } from '../model/notebook.ts';
import type { Parts } from '../operations/parts.ts';
import type { PresentedCredentials } from '../operations/require-access.ts';
import type { HtmlDocument, Site } from '../views/props.ts';

/** The context that every route receives. */
export interface RouteContext {
  readonly parts: Parts;
  readonly site: Site;
  readonly cache: PageCache;
  /** Names the program and its settings, as far as a finished page depends on them. */
  readonly build: string;
  /** Finished pictures of shared links. */
  readonly cards: PageCache;
  /** The picture that reveals nothing about a notebook. */
  readonly plainCard: Buffer;
  /** The text of the service worker. */
  readonly offlineWorker: string;
  /** Sends an event to analytics, if that is switched on. */
  readonly capture: Capture;
}

export interface SlugPath {
  Params: { slug: string };
}
export interface PagePath {
  Params: { slug: string; pageId: string };
}
export interface SnapshotPath {
  Params: { slug: string; pageId?: string; snapshotId: string };
}

/** The key of the per-IP limits. */
export function clientOf(request: FastifyRequest): string {
  return clientKey(request.ip);
}

/** `/n/{slug}`, `/n/{slug}.md` and `/n/{slug}.epub` share one route: reads which notebook and which format are requested. */
export function readSlugAndFormat(name: string): { readonly slug: string; readonly format: 'html' | 'markdown' | 'epub' } {
  if (name.endsWith('.md')) return { slug: name.slice(0, -'.md'.length), format: 'markdown' };
  if (name.endsWith('.epub')) return { slug: name.slice(0, -'.epub'.length), format: 'epub' };
  return { slug: name, format: 'html' };
}

/** The proofs a request brings for the notebook in its path. */
export function readCredentials(request: FastifyRequest): PresentedCredentials {
  const header = request.headers['x-edit-token'];
  const { slug = '' } = request.params as { slug?: string };
  const { slug: bare } = readSlugAndFormat(slug);
  return {
    // An empty header proves nothing, like an absent one: clients send it when they have no token.
    editToken: (Array.isArray(header) ? header[0] : header) || undefined,
    unlockCookie: request.cookies[unlockCookieName(bare)],
    readerCookie: request.cookies[readerCookieName(bare)],
    client: clientOf(request),
  };
}

/** A string of RFC 9651 §3.3.3, in quotes as in draft-ietf-httpapi-idempotency-key-header, or bare. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const header = headers['idempotency-key'];
  return (Array.isArray(header) ? header[0] : header)?.replaceAll('"', '');
}

/** The cookie goes to our own pages only, scripts cannot read it, and on https it is never sent in the clear. */
export function cookieOptions(context: RouteContext, maxAgeSeconds: number): CookieSerializeOptions {
  return {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: context.site.publicUrl.startsWith('https:'),
    maxAge: maxAgeSeconds,
  };
}

export function sendHtml(reply: FastifyReply, status: number, page: HtmlDocument, cacheControl: string): FastifyReply {
  return reply
    .code(status)
    .headers({ ...reply.server.htmlHeaders(page), 'cache-control': cacheControl })
    .send(page.html);
}

function etagOfBytes(bytes: string): string {
  return `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`;
}

/**
 * Identifies the output for a notebook's version when its bytes are not known before they are sent. It includes the time, because a
 * restored database counts the same versions again, and the build, because the program draws the output and shows its address in it.
 */
export function versionEtag(kind: string, { id, version, updatedAt }: Notebook, build: string): string {
  return `W/"${kind}-${version}-${updatedAt}-${id}-${build}"`;
}

const opaqueOf = (tag: string) => (tag.startsWith('W/') ? tag.slice(2) : tag);

/** Compared weakly (RFC 9110 §13.1.2): a proxy that compresses makes a strong tag weak. None of our tags has a comma in it. */
export function etagMatches(ifNoneMatch: string | undefined, etag: string): boolean {
  const opaque = opaqueOf(etag);
  return ifNoneMatch?.split(',').some(tag => opaqueOf(tag.trim()) === opaque || tag.trim() === '*') ?? false;
}

/** Sends a page that was made for this request alone, or 304 when the client already has it. */
export function sendMadeHtml(
  request: FastifyRequest,
  reply: FastifyReply,
  page: HtmlDocument,
  cacheControl: string,
): FastifyReply {
  const etag = etagOfBytes(page.html);
  reply.header('etag', etag);
  if (!etagMatches(request.headers['if-none-match'], etag)) return sendHtml(reply, 200, page, cacheControl);
  return reply.code(304).header('cache-control', cacheControl).send();
}

/**
 * The page under this key, or undefined when `make` finds none. Many may have waited for it to be made, and would all go on in one turn of
 * the event loop: each takes a turn of its own before it does anything more, whatever it waited for.
 */
export async function getFinished(
  cache: PageCache,
  request: Pick<FastifyRequest, 'takeTurn'>,
  key: string,
  make: () => Promise<Drawn | undefined>,
): Promise<FinishedPage | undefined> {
  try {
    return await cache.get(key, make);
  } finally {
    await request.takeTurn();
  }
}

/**
 * Sends a page of `getFinished` in the smallest coding that the client accepts, or 304 when the client already has it.
 * @param headers the page's type; absent: HTML
 */
export async function sendFinished(
  request: FastifyRequest,
  reply: FastifyReply,
  page: FinishedPage,
  cacheControl: string,
  headers: Readonly<Record<string, string>> = reply.server.htmlHeaders(page),
): Promise<FastifyReply> {
  const { etag } = page;
  reply.headers({ ...headers, 'cache-control': cacheControl, vary: 'Accept-Encoding', etag });
  if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const coding = chooseCoding(request.headers['accept-encoding']);
  let bytes = page.find(coding);
  if (!bytes) {
    bytes = await page.in(coding);
    await request.takeTurn();
  }
  if (coding !== 'plain') reply.header('content-encoding', coding);
  return reply.send(bytes);
}
