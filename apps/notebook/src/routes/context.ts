import { createHash } from 'node:crypto';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Capture } from '../analytics/events.ts';
import { clientKey } from '../http/client-ip.ts';
import { chooseCoding, type FinishedPage } from '../http/compressed.ts';
import type { PageCache } from '../http/page-cache.ts';
import { readerCookieName, unlockCookieName } from '../model/cookies.ts';
import type { Notebook } from '../model/notebook.ts';
import type { Parts } from '../operations/parts.ts';
import type { Presented } from '../operations/require-access.ts';
import type { HtmlDocument, Site } from '../views/props.ts';

/** What every route is given. */
export interface RouteContext {
  readonly parts: Parts;
  readonly site: Site;
  readonly cache: PageCache;
  /** Names the program and its settings as far as a finished page depends on them. */
  readonly build: string;
  /** Finished pictures of shared links. */
  readonly cards: PageCache;
  /** The picture that tells nothing of a notebook. */
  readonly plainCard: Buffer;
  /** The text of the service worker. */
  readonly offlineWorker: string;
  /** Tells analytics, where it is switched on. */
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

/** Whom per-IP limits count. */
export function clientOf(request: FastifyRequest): string {
  return clientKey(request.ip);
}

/** `/n/{slug}`, `/n/{slug}.md` and `/n/{slug}.epub` are one route: which notebook is asked for, and in which format. */
export function readSlugAndFormat(name: string): { readonly slug: string; readonly format: 'html' | 'markdown' | 'epub' } {
  if (name.endsWith('.md')) return { slug: name.slice(0, -'.md'.length), format: 'markdown' };
  if (name.endsWith('.epub')) return { slug: name.slice(0, -'.epub'.length), format: 'epub' };
  return { slug: name, format: 'html' };
}

/** The proofs a request brings for the notebook in its path. */
export function presentedBy(request: FastifyRequest): Presented {
  const header = request.headers['x-edit-token'];
  const { slug = '' } = request.params as { slug?: string };
  const { slug: bare } = readSlugAndFormat(slug);
  return {
    // An empty header proves nothing, as none does: clients send it when they have no token.
    editToken: (Array.isArray(header) ? header[0] : header) || undefined,
    unlockCookie: request.cookies[unlockCookieName(bare)],
    readerCookie: request.cookies[readerCookieName(bare)],
    client: clientOf(request),
  };
}

/** A string of RFC 9651 §3.3.3 in its quotes, as draft-ietf-httpapi-idempotency-key-header has it, or bare. */
export function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const header = headers['idempotency-key'];
  return (Array.isArray(header) ? header[0] : header)?.replaceAll('"', '');
}

/** Sent to our own pages only, unreadable for scripts, and on https never in the clear. */
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
 * Names what is made of a notebook's version where its bytes are not known before they are sent. The time is in it because a database that
 * was put back counts the same versions once more; the build, because it is drawn by the program and shows its address.
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

/** A page that was made for this request alone, or 304 when the client has the same already. */
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
 * A finished page in the smallest coding that the client takes, or 304 when it has it already.
 * @param headers what the page is; absent: HTML
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
  const bytes = await page.in(coding);
  if (coding !== 'plain') reply.header('content-encoding', coding);
  return reply.send(bytes);
}
