import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type EventProperties, expiryOf, pageCountOf } from '../analytics/events.ts';
import * as calls from '../api/calls.ts';
import * as schemas from '../api/schemas.ts';
import { wantsMarkdown } from '../http/answers/accept.ts';
import { sendJson } from '../http/answers/long-json.ts';
import { changeSettings } from '../operations/change-settings.ts';
import { type Created, createNotebook } from '../operations/create-notebook.ts';
import { type CreatedBefore, createOnce } from '../operations/create-once.ts';
import { deleteNotebook } from '../operations/delete-notebook.ts';
import { fitsInOneAnswer, readNotebook, readOwnNotebook } from '../operations/read-notebook.ts';
import { requireOwner, requireReadable } from '../operations/require-access.ts';
import { rotateEditToken } from '../operations/rotate-edit-token.ts';
import { urls } from '../urls.ts';
import { accessFirst } from './access-first.ts';
import { notebookAnswer } from './answers.ts';
import { clientOf, idempotencyKeyOf, type RouteContext, readCredentials, type SlugPath } from './context.ts';
import { sendChanged, sendCreatedBefore, sendLargeCreated, sendNotebook, sendNotebookMarkdown } from './notebook-stream.ts';
import { on } from './on.ts';

const { answers, sharedProblems } = schemas;

type Via = EventProperties<'notebook_created'>['via'];

/** A browser marks requests from our own pages; programs send no mark. */
function formOrApi(request: FastifyRequest): Via {
  return request.headers['sec-fetch-site'] === 'same-origin' ? 'form' : 'api';
}

/** Sends both links, the token and the notebook. The token is answered only this once, unless a request with a key is sent again. */
export function sendCreated(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  created: Created | CreatedBefore,
  via: Via,
): FastifyReply | Promise<FastifyReply> {
  captureCreated(context, created, via);
  const { notebook, editToken } = created;
  const { publicUrl } = context.site;
  reply.code(created.isNew ? 201 : 200).header('location', urls.view(notebook.slug));
  const links = {
    editToken,
    viewUrl: publicUrl + urls.view(notebook.slug),
    editUrl: publicUrl + urls.editByToken(editToken),
  };
  if (!created.isNew) return sendCreatedBefore(context, request, reply, created, links);
  if (!fitsInOneAnswer(notebook)) return sendLargeCreated(context, request, reply, created, links);
  return sendJson(reply, { notebook: notebookAnswer(notebook, created.pages, 'owner', context.parts.now()), ...links });
}

/** Tells analytics that a notebook was created: words and buckets, nothing of its text. */
export function captureCreated(context: RouteContext, created: Created | CreatedBefore, via: Via): void {
  if (!created.isNew) return;
  const { notebook, pages } = created;
  context.capture('notebook_created', {
    via,
    pages: pageCountOf(pages.length),
    visibility: notebook.visibility,
    expires: expiryOf(notebook.expiresAt, notebook.createdAt),
    password: notebook.passwordHash !== null,
    burnAfterRead: notebook.burnAfterRead,
    openEditing: notebook.openEditing,
  });
}

export function creationRoutes(app: FastifyInstance, context: RouteContext): void {
  const { parts } = context;
  const response = {
    ...answers(
      201,
      schemas.CreatedAnswer,
      ...sharedProblems.body,
      'slug_taken',
      'taken_down',
      'notebook_too_large',
      'slug_reserved',
    ),
    // For a repeated Idempotency-Key: the notebook as it is now.
    200: schemas.CreatedAnswer,
  };

  on<{ Body: schemas.CreateBody }>(
    app,
    calls.createNotebook,
    [],
    {
      schema: {
        summary: 'Create a notebook',
        tags: ['notebooks'],
        headers: schemas.CreateHeader,
        body: schemas.CreateBody,
        response,
      },
    },
    async (request, reply) => {
      const created = await createOnce(parts, idempotencyKeyOf(request), token =>
        createNotebook(parts, request.body, clientOf(request), token),
      );
      return sendCreated(context, request, reply, created, formOrApi(request));
    },
  );
}

export function notebookRoutes(app: FastifyInstance, context: RouteContext): void {
  const { parts } = context;
  const shared = { tags: ['notebooks'], params: schemas.SlugParams, headers: schemas.TokenHeader };

  on<SlugPath>(
    app,
    calls.readNotebook,
    [':slug'],
    {
      schema: {
        ...shared,
        summary: 'Read a notebook',
        response: answers(200, schemas.orText(schemas.NotebookAnswer, 'text/markdown'), ...sharedProblems.reading),
      },
    },
    async (request, reply) => {
      const { slug } = request.params;
      const presented = readCredentials(request);
      const requireStillOpen = () => requireReadable(parts, slug, presented);
      const read = { ...(await readNotebook(parts, slug, presented)), requireStillOpen };
      reply.header('vary', 'Accept');
      return wantsMarkdown(request.headers.accept)
        ? sendNotebookMarkdown(context, request, reply, read)
        : sendNotebook(context, request, reply, read);
    },
  );

  on<SlugPath & { Body: schemas.SettingsBody }>(
    app,
    calls.changeNotebook,
    [':slug'],
    {
      ...accessFirst(parts, requireOwner),
      schema: {
        ...shared,
        summary: 'Change settings and the order of pages',
        body: schemas.SettingsBody,
        response: answers(200, schemas.NotebookAnswer, ...sharedProblems.owning, ...sharedProblems.body, 'read_only'),
      },
    },
    async (request, reply) => {
      const changed = await changeSettings(parts, request.params.slug, request.body, readCredentials(request));
      return sendChanged(context, request, reply, changed);
    },
  );

  on<SlugPath>(
    app,
    calls.deleteNotebook,
    [':slug'],
    {
      schema: {
        ...shared,
        summary: 'Delete a notebook with everything in it',
        response: answers(200, schemas.DeletedAnswer, ...sharedProblems.owning),
      },
    },
    async request => {
      await deleteNotebook(parts, request.params.slug, readCredentials(request));
      context.capture('notebook_deleted', {});
      return { deleted: true };
    },
  );

  on<SlugPath & { Headers: { 'idempotency-key'?: string } }>(
    app,
    calls.rotateEditToken,
    [':slug'],
    {
      schema: {
        ...shared,
        headers: schemas.RotateTokenHeader,
        summary: 'Rotate the edit token; the old one is dead',
        response: answers(200, schemas.TokenAnswer, ...sharedProblems.owning, 'invalid'),
      },
    },
    async request => {
      const editToken = await rotateEditToken(parts, request.params.slug, readCredentials(request), idempotencyKeyOf(request));
      return { editToken, editUrl: context.site.publicUrl + urls.editByToken(editToken) };
    },
  );

  on(
    app,
    calls.readOwnNotebook,
    [],
    {
      schema: {
        summary: 'The notebook that the edit token owns',
        tags: ['notebooks'],
        headers: schemas.TokenHeader,
        response: answers(200, schemas.NotebookAnswer, 'edit_token_missing', 'not_found', 'taken_down'),
      },
    },
    async (request, reply) => {
      const { editToken } = readCredentials(request);
      const requireStillOpen = () => readOwnNotebook(parts, editToken);
      return sendNotebook(context, request, reply, { ...(await readOwnNotebook(parts, editToken)), requireStillOpen });
    },
  );
}
