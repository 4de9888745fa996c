import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as calls from '../api/calls.ts';
import {
  answers,
  CommentAnswer,
  CommentBody,
  CommentParams,
  CommentsAnswer,
  SlugParams,
  sharedProblems,
  TokenHeader,
} from '../api/schemas.ts';
import type { ApiComment } from '../api/types.ts';
import { invalid, Refusal } from '../errors.ts';
import { sendJson } from '../http/answers/long-json.ts';
import { challengeOf } from '../http/answers/problem.ts';
import { isForm } from '../http/bodies/bodies.ts';
import type { Comment } from '../model/comment.ts';
import { addComment, deleteComment, listComments } from '../operations/comments.ts';
import { requireReadable } from '../operations/require-access.ts';
import { urls } from '../urls.ts';
import { renderCommentRetry } from '../views/comment-retry.tsx';
import { accessFirst } from './access-first.ts';
import { clientOf, type RouteContext, readCredentials, type SlugPath, sendHtml } from './context.ts';
import { sendLargeText } from './large-reads.ts';
import { on } from './on.ts';

function commentAnswer({ id, author, body, pageId, createdAt }: Comment): ApiComment {
  return { id, author, body, pageId, createdAt: new Date(createdAt).toISOString() };
}

async function* writeComments(portions: AsyncIterable<readonly Comment[]>): AsyncGenerator<string> {
  let before = '{"items":[';
  for await (const portion of portions) {
    yield before + JSON.stringify(portion.map(commentAnswer)).slice(1, -1);
    before = ',';
  }
  yield before === ',' ? ']}' : `${before}]}`;
}

type CommentRequest = SlugPath & { Body: CommentBody };

/** Says what happened and what to do. Every field but the hidden ones is checked by the browser first. */
function problemOf({ code, message, extras: { detail, errors } }: Refusal): string {
  const fault = errors?.[0];
  if (fault?.path === 'body') return `The comment ${fault.message}.`;
  if (fault?.path === 'pageId') return 'That page was deleted. Sent again, your comment goes to the notebook as a whole.';
  if (fault?.path === 'website')
    return 'A field that has to stay empty was filled in, perhaps by your browser. It’s empty again: send the comment once more.';
  if (code === 'password_required') return `${message} Unlock it in a new tab, then send the comment here.`;
  if (code === 'not_found')
    return `${detail ?? 'We couldn’t find that notebook.'} Your words are below, so that you can copy them.`;
  return [message, detail].filter(Boolean).join(' ');
}

/** Shows the form again: text that a person wrote is never lost on an error page. */
function sendFormAgain(context: RouteContext, reply: FastifyReply, request: FastifyRequest<CommentRequest>, refusal: Refusal) {
  const { retryAfterSeconds, errors } = refusal.extras;
  if (refusal.status === 401) reply.header('www-authenticate', challengeOf(refusal.code));
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  const { author, body, pageId = '' } = request.body;
  const page = renderCommentRetry(context.site, {
    slug: request.params.slug,
    pageId: errors?.some(({ path }) => path === 'pageId') ? '' : pageId,
    problem: problemOf(refusal),
    locked: refusal.code === 'password_required',
    author,
    body,
  });
  return sendHtml(reply.header('x-robots-tag', 'noindex'), refusal.status, page, 'no-store');
}

export function commentRoutes(app: FastifyInstance, context: RouteContext): void {
  const { parts } = context;
  const shared = { tags: ['comments'], params: SlugParams, headers: TokenHeader };

  on<SlugPath>(
    app,
    calls.listComments,
    [':slug'],
    {
      schema: {
        ...shared,
        summary: 'Comments, oldest first',
        response: answers(200, CommentsAnswer, ...sharedProblems.reading),
      },
    },
    async (request, reply) => {
      const { few, walk } = await listComments(parts, request.params.slug, readCredentials(request));
      if (few) return sendJson(reply, { items: few.map(commentAnswer) });
      return sendLargeText(
        reply.header('content-type', 'application/json; charset=utf-8'),
        clientOf(request),
        writeComments(walk()),
      );
    },
  );

  on<CommentRequest>(
    app,
    calls.addComment,
    [':slug'],
    {
      ...accessFirst(parts, requireReadable),
      config: { accepts: 'form' },
      schema: {
        ...shared,
        summary: 'Comment on a notebook or a page',
        body: CommentBody,
        response: answers(201, CommentAnswer, ...sharedProblems.reading, ...sharedProblems.body, 'forbidden', 'comment_limit'),
      },
    },
    async (request, reply) => {
      const { slug } = request.params;
      const { website, ...input } = request.body;
      let comment: Comment;
      try {
        // A honeypot field that no person sees: a program that fills in everything fills it in.
        if (website !== undefined && website !== '') throw invalid('website', 'must stay empty');
        comment = await addComment(parts, slug, input, readCredentials(request), clientOf(request));
      } catch (error) {
        if (!(error instanceof Refusal) || !isForm(request)) throw error;
        return sendFormAgain(context, reply, request, error);
      }
      if (!isForm(request)) return reply.code(201).send(commentAnswer(comment));
      const page = comment.pageId === null ? urls.view(slug) : urls.viewPage(slug, comment.pageId);
      return reply.redirect(`${page}#comment-${comment.id}`, 303);
    },
  );

  on<{ Params: { slug: string; commentId: string } }>(
    app,
    calls.deleteComment,
    [':slug', ':commentId'],
    {
      schema: {
        ...shared,
        params: CommentParams,
        summary: 'Delete a comment',
        response: answers(204, undefined, ...sharedProblems.owning),
      },
    },
    async (request, reply) => {
      await deleteComment(parts, request.params.slug, request.params.commentId, readCredentials(request));
      return reply.code(204).send();
    },
  );
}
