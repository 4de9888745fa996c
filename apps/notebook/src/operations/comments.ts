import { invalid, Refusal } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Comment } from '../model/comment.ts';
import { createId } from '../model/slug.ts';
import { tidyTitle } from '../model/title.ts';
import type { Needs } from './parts.ts';
import { type Presented, requireOwner, requireReadable } from './require-access.ts';
import { requireRateSlot } from './require-rate-slot.ts';

const off = new Refusal('not_found', { detail: 'Comments are switched off for this notebook.' });

/** Oldest first. Switched off, they are still the owner's to read and delete. */
export async function listComments(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: Presented,
): Promise<Comment[]> {
  const { notebook, access } = await requireReadable(parts, slug, presented);
  if (!notebook.comments && access.kind !== 'owner') throw off;
  return parts.store.listComments(notebook.id);
}

export interface AddCommentInput {
  readonly author?: string;
  readonly body: string;
  readonly pageId?: string;
}

/** Who may read may comment, when the owner has not switched comments off. */
export async function addComment(
  parts: Needs<'store' | 'secretKey' | 'now' | 'randomBytes' | 'rateLimits'>,
  slug: string,
  input: AddCommentInput,
  presented: Presented,
  clientKey: string,
): Promise<Comment> {
  const { notebook } = await requireReadable(parts, slug, presented);
  if (!notebook.comments) throw off;
  const body = input.body.replace(/\r\n?/g, '\n').trim();
  if (body === '') throw invalid('body', 'is empty');
  if ([...body].length > limits.maxCommentChars) throw invalid('body', `must have at most ${limits.maxCommentChars} characters`);
  await requireRateSlot(parts, 'comment', clientKey);
  const comment: Comment = {
    id: createId(parts.randomBytes, limits.idChars),
    notebookId: notebook.id,
    pageId: input.pageId || null,
    author: tidyTitle(input.author ?? ''),
    body,
    createdAt: parts.now(),
  };
  switch (await parts.store.addComment(comment)) {
    case 'added':
      return comment;
    case 'comments_off':
      throw off;
    case 'page_missing':
      throw invalid('pageId', 'is not a page of this notebook');
    case 'comment_limit':
      throw new Refusal('comment_limit', { detail: `A notebook holds at most ${limits.maxCommentsPerNotebook} comments.` });
    case 'gone':
      throw new Refusal('not_found');
  }
}

export async function deleteComment(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  commentId: string,
  presented: Presented,
): Promise<void> {
  const { owner } = await requireOwner(parts, slug, presented);
  if ((await parts.store.deleteComment(owner, commentId)) !== 'deleted') throw new Refusal('not_found');
}
