import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as calls from '../api/calls.ts';
import { answers, CommentAnswer, CommentBody, CommentParams, CommentsAnswer, SlugParams, TokenHeader } from '../api/schemas.ts';
import type { ApiComment } from '../api/types.ts';
import { invalid, Refusal } from '../errors.ts';
import { isForm } from '../http/bodies.ts';
import { sendJson } from '../http/long-json.ts';
import type { Comment } from '../model/comment.ts';
import { addComment, deleteComment, listComments } from '../operations/comments.ts';
import { urls } from '../urls.ts';
import { renderCommentRetry } from '../views/comment-retry.tsx';
import { clientOf, type RouteContext, readCredentials, type SlugPath, sendHtml } from './context.ts';
import { on } from './on.ts';

function commentAnswer({ id, author, body, pageId, createdAt }: Comment): ApiComment {
  return { id, author, body, pageId, createdAt: new Date(createdAt).toISOString() };
}

type CommentRequest = SlugPath & { Body: CommentBody };

/** Shows the form again: text that a person wrote is never lost on an error page. */
function sendFormAgain(context: RouteContext, reply: FastifyReply, request: FastifyRequest<CommentRequest>, refusal: Refusal) {
  const { retryAfterSeconds, detail, errors } = refusal.extras;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  const { author, body, pageId = '' } = request.body;
  const fault = errors?.find(({ path }) => path === 'body');
  const problem = fault ? `The comment ${fault.message}.` : [refusal.message, detail].filter(Boolean).join(' ');
  const page = renderCommentRetry(context.site, { slug: request.params.slug, pageId, problem, author, body });
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
        response: answers(200, CommentsAnswer, 'password_required', 'not_found'),
      },
    },
    async (request, reply) => {
      const comments = await listComments(parts, request.params.slug, readCredentials(request));
      return sendJson(reply, { items: comments.map(commentAnswer) });
    },
  );

  on<CommentRequest>(
    app,
    calls.addComment,
    [':slug'],
    {
      config: { accepts: 'form' },
      schema: {
        ...shared,
        summary: 'Comment on a notebook or a page',
        body: CommentBody,
        response: answers(
          201,
          CommentAnswer,
          'bad_request',
          'password_required',
          'not_found',
          'comment_limit',
          'invalid',
          'rate_limited',
        ),
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
        const again = error instanceof Refusal && ['invalid', 'rate_limited', 'comment_limit'].includes(error.code);
        if (!again || !isForm(request)) throw error;
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
        response: answers(204, undefined, 'edit_token_missing', 'edit_token_invalid', 'not_found'),
      },
    },
    async (request, reply) => {
      await deleteComment(parts, request.params.slug, request.params.commentId, readCredentials(request));
      return reply.code(204).send();
    },
  );
}
