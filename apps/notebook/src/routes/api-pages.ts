import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as calls from '../api/calls.ts';
import * as schemas from '../api/schemas.ts';
import type { ApiPage } from '../api/types.ts';
import { Refusal } from '../errors.ts';
import { wantsMarkdown } from '../http/answers/accept.ts';
import { sendJson } from '../http/answers/long-json.ts';
import { addPage } from '../operations/add-page.ts';
import { changePage } from '../operations/change-page.ts';
import { deletePage } from '../operations/delete-page.ts';
import { listSnapshots, readSnapshot, restoreSnapshot } from '../operations/page-snapshots.ts';
import { readPageOf } from '../operations/read-notebook.ts';
import { requireWriter } from '../operations/require-access.ts';
import { urls } from '../urls.ts';
import { accessFirst } from './access-first.ts';
import { sendPage, snapshotAnswer, snapshotHeadAnswer } from './answers.ts';
import {
  etagMatches,
  idempotencyKeyOf,
  type PagePath,
  type RouteContext,
  readCredentials,
  type SlugPath,
  type SnapshotPath,
} from './context.ts';
import { type Handler, on } from './on.ts';

const { answers, sharedProblems } = schemas;

/** PostgreSQL stores revisions in four bytes and refuses to compare them with a larger number. */
const maxRevision = 2 ** 31 - 1;

/**
 * The revisions that `If-Match` expects (RFC 9110 §13.1.1), the newest first; undefined when it is absent or `*`. A value that cannot be a
 * revision of ours matches no page: refusing it as stale loses nothing, treating it as absent could.
 */
export function readIfMatch(header: string | undefined): readonly [number, ...number[]] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  const [first = -1, ...others] = (header.match(/(?:W\/)?"[^"]*"|[^\s,"]+/g) ?? [])
    .map(tag => Number(/^(?:W\/)?"?(\d{1,15})"?$/.exec(tag)?.[1] ?? -1))
    .filter(revision => revision >= 0 && revision <= maxRevision)
    .sort((one, other) => other - one);
  return [first, ...others];
}

/**
 * Does the work for the revision that a change or deletion expects: from `If-Match`, or from a header of ours that says it again. Some
 * proxies take `If-Match` away, and without it the last writer would win unasked. Of several revisions the store compares one at a time, so
 * when the page turns out to be at another one of them, the work is done for that one.
 */
async function withExpectedRevision<Result>(
  { headers }: FastifyRequest,
  work: (expected: number | undefined) => Promise<Result>,
): Promise<Result> {
  const expected = readIfMatch(headers['if-match'] ?? [headers['x-page-revision']].flat()[0]);
  if (expected === undefined) return work(undefined);
  const left = new Set(expected);
  for (let revision = expected[0]; ; ) {
    try {
      return await work(revision);
    } catch (problem) {
      left.delete(revision);
      const current =
        problem instanceof Refusal && problem.code === 'stale_revision' ? (problem.extras.page as ApiPage).revision : undefined;
      if (current === undefined || !left.has(current)) throw problem;
      revision = current;
    }
  }
}

export function pageRoutes(app: FastifyInstance, context: RouteContext): void {
  const { parts } = context;
  const shared = { tags: ['pages'], params: schemas.PageParams, headers: schemas.TokenHeader };

  on<SlugPath & { Body: schemas.AddPageBody; Headers: { 'idempotency-key'?: string } }>(
    app,
    calls.addPage,
    [':slug'],
    {
      ...accessFirst(parts, requireWriter),
      schema: {
        ...shared,
        params: schemas.SlugParams,
        headers: schemas.AddPageHeader,
        summary: 'Add a page',
        body: schemas.AddPageBody,
        response: {
          ...answers(
            201,
            schemas.PageAnswer,
            ...sharedProblems.writing,
            ...sharedProblems.body,
            'page_limit',
            'notebook_too_large',
          ),
          // For a repeated Idempotency-Key: the page as it is now.
          200: schemas.PageAnswer,
        },
      },
    },
    async (request, reply) => {
      const { slug } = request.params;
      const presented = readCredentials(request);
      const key = idempotencyKeyOf(request);
      const { page, isNew } = await addPage(parts, slug, { ...request.body, key }, presented);
      if (isNew) context.capture('page_added', { by: presented.editToken === undefined ? 'visitor' : 'owner' });
      return sendPage(reply.header('location', urls.api.page(slug, page.id)), isNew ? 201 : 200, page);
    },
  );

  on<PagePath>(
    app,
    calls.readPage,
    [':slug', ':pageId'],
    {
      schema: {
        ...shared,
        summary: 'Read a page',
        response: answers(200, schemas.orText(schemas.PageAnswer, 'text/markdown'), ...sharedProblems.reading),
      },
    },
    async (request, reply) => {
      const { page } = await readPageOf(parts, request.params.slug, request.params.pageId, readCredentials(request));
      reply.header('vary', 'Accept');
      if (wantsMarkdown(request.headers.accept)) {
        return reply.header('content-type', 'text/markdown; charset=utf-8').send(page.markdown);
      }
      // A page without a title is called by its position, which is not part of its revision.
      const isNamed = page.givenTitle !== '' || page.heading !== '';
      const etag = `"${page.revision}"`;
      if (isNamed && etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).header('etag', etag).send();
      return sendPage(reply, 200, page);
    },
  );

  on<PagePath & { Body: schemas.ChangePageBody }>(
    app,
    calls.changePage,
    [':slug', ':pageId'],
    {
      ...accessFirst(parts, requireWriter),
      schema: {
        ...shared,
        headers: schemas.IfMatchHeader,
        summary: 'Change a page',
        body: schemas.ChangePageBody,
        response: answers(
          200,
          schemas.PageAnswer,
          ...sharedProblems.writing,
          ...sharedProblems.body,
          'stale_revision',
          'notebook_too_large',
        ),
      },
    },
    async (request, reply) => {
      const page = await withExpectedRevision(request, expectedRevision =>
        changePage(parts, { ...request.params, expectedRevision }, request.body, readCredentials(request)),
      );
      return sendPage(reply, 200, page);
    },
  );

  on<PagePath>(
    app,
    calls.deletePage,
    [':slug', ':pageId'],
    {
      schema: {
        ...shared,
        headers: schemas.IfMatchHeader,
        summary: 'Delete a page',
        response: answers(204, undefined, ...sharedProblems.owning, 'read_only', 'last_page', 'stale_revision'),
      },
    },
    async (request, reply) => {
      await withExpectedRevision(request, expectedRevision =>
        deletePage(parts, { ...request.params, expectedRevision }, readCredentials(request)),
      );
      return reply.code(204).send();
    },
  );
}

export function snapshotRoutes(app: FastifyInstance, context: RouteContext): void {
  const { parts } = context;
  const shared = { tags: ['snapshots'], params: schemas.SnapshotParams, headers: schemas.TokenHeader };
  const sharedByPage = { ...shared, params: schemas.PageSnapshotParams };

  on<PagePath>(
    app,
    calls.listSnapshots,
    [':slug', ':pageId'],
    {
      schema: {
        ...shared,
        params: schemas.PageParams,
        summary: 'The newest ten snapshots of a page',
        response: answers(200, schemas.SnapshotsAnswer, ...sharedProblems.owning),
      },
    },
    async request => {
      const snapshots = await listSnapshots(parts, request.params.slug, request.params.pageId, readCredentials(request));
      return { items: snapshots.map(snapshotHeadAnswer) };
    },
  );

  const reading = {
    summary: 'Read a snapshot',
    response: answers(200, schemas.SnapshotAnswer, ...sharedProblems.owning),
  };
  const read: Handler<SnapshotPath> = async (request, reply) =>
    sendJson(reply, snapshotAnswer(await readSnapshot(parts, request.params, readCredentials(request))));
  on(app, calls.readSnapshot, [':slug', ':snapshotId'], { schema: { ...shared, ...reading } }, read);
  on(app, calls.readSnapshotOfPage, [':slug', ':pageId', ':snapshotId'], { schema: { ...sharedByPage, ...reading } }, read);

  const restoring = {
    summary: 'Restore a snapshot; the replaced text becomes one',
    response: answers(200, schemas.PageAnswer, ...sharedProblems.owning, 'read_only', 'notebook_too_large'),
  };
  const restore: Handler<SnapshotPath> = async (request, reply) =>
    sendPage(reply, 200, await restoreSnapshot(parts, request.params, readCredentials(request)));
  on(app, calls.restoreSnapshot, [':slug', ':snapshotId'], { schema: { ...shared, ...restoring } }, restore);
  on(
    app,
    calls.restoreSnapshotOfPage,
    [':slug', ':pageId', ':snapshotId'],
    { schema: { ...sharedByPage, ...restoring } },
    restore,
  );
}
