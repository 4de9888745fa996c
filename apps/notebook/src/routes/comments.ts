import type { FastifyInstance } from 'fastify';
import { invalid } from '../errors.ts';
import type { Comment } from '../model/comment.ts';
import { addComment, deleteComment, listComments } from '../operations/comments.ts';
import { urls } from '../urls.ts';
import { clientOf, presentedBy, type RouteContext, type SlugPath } from './context.ts';
import { answers, CommentAnswer, CommentBody, CommentParams, CommentsAnswer, SlugParams, TokenHeader } from './schemas.ts';
import { isForm } from './unlock.ts';

function commentAnswer({ id, author, body, pageId, createdAt }: Comment) {
  return { id, author, body, pageId, createdAt: new Date(createdAt).toISOString() };
}

export function commentRoutes(app: FastifyInstance, context: RouteContext): void {
  const { parts } = context;
  const path = urls.api.comments(':slug');
  const shared = { tags: ['comments'], params: SlugParams, headers: TokenHeader };

  app.get<SlugPath>(
    path,
    {
      schema: {
        ...shared,
        summary: 'Comments, oldest first',
        response: answers(200, CommentsAnswer, 'password_required', 'not_found'),
      },
    },
    async request => ({ items: (await listComments(parts, request.params.slug, presentedBy(request))).map(commentAnswer) }),
  );

  app.post<SlugPath & { Body: CommentBody }>(
    path,
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
      // A field that no person sees: who fills it is a program that fills everything.
      if (website !== undefined && website !== '') throw invalid('website', 'must stay empty');
      const comment = await addComment(parts, slug, input, presentedBy(request), clientOf(request));
      if (!isForm(request)) return reply.code(201).send(commentAnswer(comment));
      const page = comment.pageId === null ? urls.view(slug) : urls.viewPage(slug, comment.pageId);
      return reply.redirect(`${page}#comment-${comment.id}`, 303);
    },
  );

  app.delete<{ Params: { slug: string; commentId: string } }>(
    `${path}/:commentId`,
    {
      schema: {
        ...shared,
        params: CommentParams,
        summary: 'Delete a comment',
        response: answers(204, undefined, 'edit_token_missing', 'edit_token_invalid', 'not_found'),
      },
    },
    async (request, reply) => {
      await deleteComment(parts, request.params.slug, request.params.commentId, presentedBy(request));
      return reply.code(204).send();
    },
  );
}
