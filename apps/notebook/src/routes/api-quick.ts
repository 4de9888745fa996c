import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as calls from '../api/calls.ts';
import * as schemas from '../api/schemas.ts';
import { invalid, Refusal } from '../errors.ts';
import { sendLines, wantsLines } from '../http/answers/answer-lines.ts';
import { parseBodies } from '../http/bodies/assemble-body.ts';
import { readForm, readUtf8, requireCleanText } from '../http/bodies/request-text.ts';
import { createOnce } from '../operations/create-once.ts';
import { type KeepAs, quickPaste } from '../operations/quick-paste.ts';
import { urls } from '../urls.ts';
import { captureCreated, sendCreated } from './api-notebooks.ts';
import { clientOf, idempotencyKeyOf, type RouteContext } from './context.ts';
import { on } from './on.ts';

const formType = 'application/x-www-form-urlencoded';

/** A form with our field, as a page would send it, and not a text that curl labels as a form. */
const quickForm = /^(?:as=[a-z]*&)?markdown=[^&\s]*(?:&as=[a-z]*)?$/;

interface Paste {
  readonly text: string;
  /** How to keep the text: as the sender says, or else by its content type. */
  readonly keepAs: KeepAs;
}

function readPaste(request: FastifyRequest<{ Body: schemas.QuickBody | string; Querystring: schemas.QuickQuery }>): Paste {
  const { body, query } = request;
  if (typeof body !== 'string') return { text: body.markdown, keepAs: query.as ?? 'markdown' };
  const type = (request.headers['content-type'] ?? '').toLowerCase();
  if (type.startsWith(formType) && quickForm.test(body)) {
    return { text: readForm(body).get('markdown') ?? '', keepAs: query.as ?? 'markdown' };
  }
  return { text: body, keepAs: query.as ?? (type.startsWith('text/markdown') ? 'markdown' : 'plain') };
}

/** Quick paste: a notebook from a text in one request (spec 1 §1 and §4). */
export function quickRoutes(app: FastifyInstance, context: RouteContext): void {
  app.register(async scope => {
    const readText = (_: FastifyRequest, body: Buffer) => requireCleanText(readUtf8(body), 'The body');
    // `curl --data-binary @file` labels every file as a form, and some clients send no type at all.
    scope.removeContentTypeParser(formType);
    parseBodies(scope, formType, readText);
    parseBodies(scope, '*', (request, body) => {
      const type = request.headers['content-type'] ?? '';
      if (type !== '')
        throw new Refusal('unsupported_media_type', {
          detail: `Send text/markdown, text/plain or application/json, not ${type}.`,
        });
      return readText(request, body);
    });
    addQuickRoute(scope, context);
  });
}

function addQuickRoute(scope: FastifyInstance, context: RouteContext): void {
  const text = { schema: { type: 'string' } };
  on<{ Body: schemas.QuickBody | string; Querystring: schemas.QuickQuery }>(
    scope,
    calls.createFromText,
    [],
    {
      config: { lines: true, accepts: 'text' },
      schema: {
        summary: 'Create a notebook from pasted text',
        description:
          'The title is the first heading, or else the first line. The body is JSON or the text itself. `text/markdown` is stored as it is. `text/plain`, and a body without a type or with the type of a form, is stored as a code block unless it is plainly prose or Markdown; `as` decides. A client that does not ask for JSON gets two lines: `view <link>` and `edit <link>`.',
        tags: ['notebooks'],
        headers: schemas.CreateHeader,
        querystring: schemas.QuickQuery,
        body: {
          content: {
            'application/json': { schema: schemas.QuickBody },
            'text/markdown': text,
            'text/plain': text,
            [formType]: text,
          },
        },
        response: {
          ...schemas.answersOrLines(
            201,
            schemas.CreatedAnswer,
            ...schemas.sharedProblems.body,
            'taken_down',
            'notebook_too_large',
          ),
          // For a repeated Idempotency-Key: the notebook as it is now.
          200: schemas.orText(schemas.CreatedAnswer, 'text/plain'),
        },
      },
    },
    async (request, reply) => {
      // A request without a body has no type to check.
      if (request.body === undefined || request.body === null) throw invalid('body', 'is missing');
      const { text, keepAs } = readPaste(request);
      const created = await createOnce(context.parts, idempotencyKeyOf(request), token =>
        quickPaste(context.parts, text, keepAs, clientOf(request), token),
      );
      if (!wantsLines(request)) return sendCreated(context, request, reply, created, 'quick');
      captureCreated(context, created, 'quick');
      const { publicUrl } = context.site;
      return sendLines(reply.header('location', urls.view(created.notebook.slug)), created.isNew ? 201 : 200, [
        ['view', publicUrl + urls.view(created.notebook.slug)],
        ['edit', publicUrl + urls.editByToken(created.editToken)],
      ]);
    },
  );
}
