import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pageAnswer } from '../api/page-answer.ts';
import { Refusal } from '../errors.ts';
import { sendJson, textParts } from '../http/answers/long-json.ts';
import type { Page } from '../model/notebook.ts';
import type { ChangedNotebook } from '../operations/change-settings.ts';
import type { Created } from '../operations/create-notebook.ts';
import type { CreatedBefore } from '../operations/create-once.ts';
import {
  fitsInOneAnswer,
  joinMarkdown,
  type NotebookRead,
  readWhole,
  streamMarkdown,
  type WholeNotebook,
  walkPages,
} from '../operations/read-notebook.ts';
import { createAccessCheck } from '../operations/view-notebook.ts';
import { notebookAnswer, notebookEtag } from './answers.ts';
import { clientOf, etagMatches, type RouteContext, readCredentials } from './context.ts';
import { copyForAnswer, nothingElse, sendLargeText } from './large-reads.ts';

interface Read extends NotebookRead {
  /**
   * Called when the texts were read: the notebook may have been closed since the first check, and the texts be written since.
   * @throws Refusal
   */
  readonly requireStillOpen: () => Promise<Pick<NotebookRead, 'notebook' | 'access'>>;
}

/** @throws Refusal when the notebook was deleted or closed since its record was read */
async function requireWhole(parts: RouteContext['parts'], read: Read): Promise<WholeNotebook> {
  const whole = await readWhole(parts, read, read.requireStillOpen);
  if (!whole) throw new Refusal('not_found');
  return whole;
}

/** Sends a notebook whose settings were changed, to the owner who did. */
export async function sendChanged(
  { parts }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { notebook, pages }: ChangedNotebook,
): Promise<FastifyReply> {
  if (pages) return sendJson(reply, notebookAnswer(notebook, pages, 'owner', parts.now()));
  const look = createAccessCheck(parts, notebook.slug, readCredentials(request));
  return sendInPieces(parts, request, reply, await look(), look);
}

/** @param look reads the record again; throws when the reader may no longer see the notebook */
async function sendInPieces(
  parts: RouteContext['parts'],
  request: FastifyRequest,
  reply: FastifyReply,
  seen: Pick<NotebookRead, 'notebook' | 'access'>,
  look: Read['requireStillOpen'],
): Promise<FastifyReply> {
  const copied = await copyForAnswer(parts, reply, seen, look, nothingElse);
  const { notebook, heads, access } = copied;
  const { pages: _, ...rest } = notebookAnswer(notebook, [], access.kind, parts.now());
  // A changed notebook is answered with its state alone.
  if (reply.hasHeader('etag')) reply.header('etag', notebookEtag(rest, heads));
  const texts = writeNotebook(rest, walkPages(copied, heads, look));
  return sendLargeText(reply.header('content-type', 'application/json; charset=utf-8'), clientOf(request), texts);
}

/**
 * Sends a notebook as JSON. A large one is sent while its pages are read: whole, it would be in memory once per request and block the
 * process while it is written. An editor often checks for changes: content that it already has is not sent again.
 */
export async function sendNotebook(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  read: Read,
): Promise<FastifyReply> {
  const { notebook, heads, access } = read;
  const { parts } = context;
  const { pages: _, ...rest } = notebookAnswer(notebook, [], access.kind, parts.now());
  const etag = notebookEtag(rest, heads);
  reply.header('etag', etag);
  if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (fitsInOneAnswer(notebook)) {
    const whole = await requireWhole(parts, read);
    const { pages, ...others } = notebookAnswer(whole.notebook, whole.pages, whole.access.kind, parts.now());
    return sendJson(reply.header('etag', notebookEtag(others, whole.pages)), { ...others, pages });
  }
  return sendInPieces(parts, request, reply, read, read.requireStillOpen);
}

export async function sendNotebookMarkdown(
  { parts }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  read: Read,
): Promise<FastifyReply> {
  if (fitsInOneAnswer(read.notebook)) {
    const { pages } = await requireWhole(parts, read);
    return reply.header('content-type', 'text/markdown; charset=utf-8').send(joinMarkdown(parts, pages));
  }
  reply.header('content-type', 'text/markdown; charset=utf-8');
  const copied = await copyForAnswer(parts, reply, read, read.requireStillOpen, nothingElse);
  return sendLargeText(reply, clientOf(request), streamMarkdown(parts, walkPages(copied, copied.heads, read.requireStillOpen)));
}

/**
 * Sends a large new notebook in pieces: written at once, it would block the process. Never refused: its token is answered only this once.
 */
export async function sendLargeCreated(
  { parts }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { notebook, pages }: Created,
  links: object,
): Promise<FastifyReply> {
  const { pages: _, ...rest } = notebookAnswer(notebook, [], 'owner', parts.now());
  async function* write(): AsyncGenerator<string> {
    yield '{"notebook":';
    yield* writeNotebook(rest, Readable.from(pages));
    yield `,${JSON.stringify(links).slice(1)}`;
  }
  return sendLargeText(reply.header('content-type', 'application/json; charset=utf-8'), clientOf(request), write(), 'at once');
}

/** Like {@link sendLargeCreated}, for a notebook created before: it may have changed since, and may be requested any number of times. */
export async function sendCreatedBefore(
  { parts }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { notebook: { slug }, notebook, pages, editToken }: CreatedBefore,
  links: object,
): Promise<FastifyReply> {
  if (pages) return sendJson(reply, { notebook: notebookAnswer(notebook, pages, 'owner', parts.now()), ...links });
  const look = createAccessCheck(parts, slug, { ...readCredentials(request), editToken });
  const copied = await copyForAnswer(parts, reply, await look(), look, nothingElse);
  const { pages: _, ...rest } = notebookAnswer(copied.notebook, [], 'owner', parts.now());
  async function* write(): AsyncGenerator<string> {
    yield '{"notebook":';
    yield* writeNotebook(rest, walkPages(copied, copied.heads, look));
    yield `,${JSON.stringify(links).slice(1)}`;
  }
  return sendLargeText(reply.header('content-type', 'application/json; charset=utf-8'), clientOf(request), write());
}

async function* writeNotebook(rest: object, pages: AsyncIterable<Page>): AsyncGenerator<string> {
  yield `${JSON.stringify(rest).slice(0, -1)},"pages":[`;
  let before = '';
  for await (const page of pages) {
    const { markdown, ...others } = pageAnswer(page);
    yield `${before}${JSON.stringify(others).slice(0, -1)},"markdown":`;
    yield* textParts(markdown);
    yield '}';
    before = ',';
  }
  yield ']}';
}
