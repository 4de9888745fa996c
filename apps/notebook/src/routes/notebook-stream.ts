import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { pageAnswer } from '../api/page-answer.ts';
import { Refusal } from '../errors.ts';
import { sendJson, textParts } from '../http/long-json.ts';
import { limits } from '../limits.ts';
import type { Access } from '../model/access.ts';
import type { Notebook, Page, PageHead } from '../model/notebook.ts';
import type { Created } from '../operations/create-notebook.ts';
import type { CreatedBefore } from '../operations/create-once.ts';
import { joinMarkdown, streamMarkdown, walkPages } from '../operations/read-notebook.ts';
import { createAccessCheck } from '../operations/view-notebook.ts';
import { notebookAnswer, notebookEtag } from './answers.ts';
import { clientOf, etagMatches, type RouteContext, readCredentials } from './context.ts';
import { sendLargeText } from './large-reads.ts';

interface Read {
  readonly notebook: Notebook;
  readonly heads: readonly PageHead[];
  readonly access: Pick<Access, 'kind'>;
  /**
   * Called when the texts were read: the notebook may have been closed since the first check, and the texts be written since. Absent for an
   * owner whose change was made.
   * @throws Refusal
   */
  readonly requireStillOpen?: () => Promise<unknown>;
}

/** @throws Refusal when the notebook was deleted or closed since its record was read */
async function readTexts({ store }: RouteContext['parts'], { notebook, requireStillOpen }: Read): Promise<Page[]> {
  const pages = await store.listPages(notebook.id);
  await requireStillOpen?.();
  // A notebook keeps at least one page.
  if (pages.length === 0) throw new Refusal('not_found');
  return pages;
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
  if (request.method === 'GET' || request.method === 'HEAD') {
    const etag = notebookEtag(rest, heads);
    reply.header('etag', etag);
    if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  }
  if (fitsInOneAnswer(notebook)) return sendJson(reply, { ...rest, pages: (await readTexts(parts, read)).map(pageAnswer) });
  const accessCheck = createAccessCheck(parts, notebook.slug, readCredentials(request));
  const texts = writeNotebook(rest, walkPages(parts, heads, accessCheck));
  return sendLargeText(reply.header('content-type', 'application/json; charset=utf-8'), clientOf(request), texts);
}

export async function sendNotebookMarkdown(
  { parts }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  read: Read,
): Promise<FastifyReply> {
  const { notebook, heads } = read;
  if (fitsInOneAnswer(notebook)) {
    const pages = await readTexts(parts, read);
    return reply.header('content-type', 'text/markdown; charset=utf-8').send(joinMarkdown(parts, pages));
  }
  reply.header('content-type', 'text/markdown; charset=utf-8');
  const accessCheck = createAccessCheck(parts, notebook.slug, readCredentials(request));
  return sendLargeText(reply, clientOf(request), streamMarkdown(parts, walkPages(parts, heads, accessCheck)));
}

/** Small enough to hold in memory as one text. */
export function fitsInOneAnswer({ markdownBytes }: Notebook): boolean {
  return markdownBytes <= limits.wholeNotebookBytes;
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
  { notebook, heads, editToken }: CreatedBefore,
  links: object,
): Promise<FastifyReply> {
  const { pages: _, ...rest } = notebookAnswer(notebook, [], 'owner', parts.now());
  if (fitsInOneAnswer(notebook)) {
    const pages = (await parts.store.listPages(notebook.id)).map(pageAnswer);
    return sendJson(reply, { notebook: { ...rest, pages }, ...links });
  }
  const accessCheck = createAccessCheck(parts, notebook.slug, { ...readCredentials(request), editToken });
  async function* write(): AsyncGenerator<string> {
    yield '{"notebook":';
    yield* writeNotebook(rest, walkPages(parts, heads, accessCheck));
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
