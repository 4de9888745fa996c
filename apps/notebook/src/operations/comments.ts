import { invalid, Refusal } from '../errors.ts';
import { nextTurn } from '../event-loop-turns.ts';
import { limits } from '../limits.ts';
import type { Comment, NumberedComment } from '../model/comment.ts';
import { Admission } from '../model/rights.ts';
import { readShortText } from '../model/short-text.ts';
import { createId } from '../model/slug.ts';
import { tidyTitle } from '../model/title.ts';
import type { Needs } from './parts.ts';
import { onceMore, refuseGone } from './refused-write.ts';
import { type PresentedCredentials, requireOwner, requireReadable } from './require-access.ts';
import { requireRateSlot } from './require-rate-slot.ts';

const off = new Refusal('not_found', { detail: 'Comments are switched off for this notebook.' });

/**
 * Reads all comments on a page, oldest first, one portion per turn of the event loop: together they may have a million characters. Those on
 * other pages are not read: while all pages are drawn, each would hold them all in memory.
 */
export async function readComments(
  { store }: Needs<'store'>,
  notebookId: string,
  pageId: string,
  firstPageId: string,
): Promise<Comment[]> {
  const read: NumberedComment[] = [];
  for (;;) {
    const some = await store.listCommentsOfPage(notebookId, pageId, firstPageId, read.at(-1)?.number);
    read.push(...some);
    if (some.length < limits.maxCommentsAtOnce) return read;
    await nextTurn();
  }
}

/** All comments of a notebook, a portion at a time: many readers who hold a million characters each would fill the memory. */
export interface CommentsRead {
  /** All of them, when they are one portion. */
  readonly few: readonly Comment[] | undefined;
  /** Checks, once a portion is read, that this reader may still see it. */
  walk(): AsyncGenerator<readonly Comment[]>;
}

/** Oldest first. While comments are switched off, the owner can still read and delete them. */
export async function listComments(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: PresentedCredentials,
): Promise<CommentsRead> {
  const requireOpen = async () => {
    const { notebook, access } = await requireReadable(parts, slug, presented);
    if (!notebook.comments && access.kind !== 'owner') throw off;
    return notebook.id;
  };
  const notebookId = await requireOpen();
  const read = async (after?: number) => {
    const portion = await parts.store.listComments(notebookId, after);
    // The notebook may have been closed since the check before, and comments be added since.
    await requireOpen();
    return portion;
  };
  const some = await read();
  return {
    few: some.length < limits.maxCommentsAtOnce ? some : undefined,
    async *walk() {
      for (let after = 0; ; ) {
        const portion = await read(after);
        if (portion.length > 0) yield portion;
        if (portion.length < limits.maxCommentsAtOnce) return;
        after = portion.at(-1)!.number;
        await nextTurn();
      }
    },
  };
}

export interface AddCommentInput {
  readonly author?: string;
  readonly body: string;
  readonly pageId?: string;
}

/** Anyone who may read may comment, unless the owner has switched comments off. */
export const addComment = onceMore(
  async (
    parts: Needs<'store' | 'secretKey' | 'now' | 'randomBytes' | 'rateLimits'>,
    slug: string,
    input: AddCommentInput,
    presented: PresentedCredentials,
    clientKey: string,
  ): Promise<Comment> => {
    const { notebook, access } = await requireReadable(parts, slug, presented);
    if (!notebook.comments) throw off;
    const body = readShortText(input.body, 'body', limits.maxCommentChars);
    if (body === '') throw invalid('body', 'is empty');
    await requireRateSlot(parts, 'comment', clientKey);
    const comment: Comment = {
      id: createId(parts.randomBytes, limits.idChars),
      notebookId: notebook.id,
      pageId: input.pageId || null,
      author: tidyTitle(input.author ?? ''),
      body,
      createdAt: parts.now(),
    };
    switch (await parts.store.addComment(comment, access.kind === 'owner' ? access.owner : new Admission(notebook))) {
      case 'added':
        return comment;
      case 'comments_off':
        throw off;
      case 'page_missing':
        throw invalid('pageId', 'is not a page of this notebook');
      case 'comment_limit':
        throw new Refusal('comment_limit', { detail: `A notebook holds at most ${limits.maxCommentsPerNotebook} comments.` });
      case 'gone':
        return refuseGone(() => requireReadable(parts, slug, presented));
    }
  },
);

export const deleteComment = onceMore(
  async (
    parts: Needs<'store' | 'secretKey' | 'now'>,
    slug: string,
    commentId: string,
    presented: PresentedCredentials,
  ): Promise<void> => {
    const { owner } = await requireOwner(parts, slug, presented);
    const answer = await parts.store.deleteComment(owner, commentId);
    if (answer === 'gone') await refuseGone(() => requireOwner(parts, slug, presented));
    if (answer !== 'deleted') throw new Refusal('not_found');
  },
);
