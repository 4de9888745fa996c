import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { limits } from '../limits.ts';
import type { Comment } from '../model/comment.ts';
import { urls } from '../urls.ts';
import { findLinks } from './comment-links.ts';
import { Moment } from './moment.tsx';
import type { DrawnComments } from './props.ts';

export interface CommentsProps {
  readonly slug: string;
  readonly pageId: string;
  readonly comments: DrawnComments;
}

/** List items. */
export function renderComments(comments: readonly Comment[]): string {
  return comments.map(comment => render(<OneComment comment={comment} />)).join('');
}

/** So many are longer than a window, and the form is below them. */
const manyComments = 10;

/** Below a page: readers' comments and the form to add one. A plain form that needs no script. */
export function Comments({ slug, pageId, comments }: CommentsProps): VNode {
  return (
    <section class="comments" id="comments" aria-labelledby="comments-heading">
      <h2 id="comments-heading">{comments.count === 0 ? 'Comments' : `Comments (${comments.count})`}</h2>
      {comments.count >= manyComments && (
        <p>
          <a href="#write-comment">Write a comment</a>
        </p>
      )}
      {comments.count > 0 && <ol dangerouslySetInnerHTML={{ __html: comments.html }} />}
      <details id="write-comment" open={comments.count > 0}>
        <summary>Write a comment</summary>
        <CommentForm slug={slug} pageId={pageId} />
      </details>
    </section>
  );
}

function OneComment({ comment }: { comment: Comment }): VNode {
  return (
    <li class="comment" id={`comment-${comment.id}`}>
      <p class="comment-head">
        <strong dir="auto">{comment.author || 'Anonymous'}</strong> <Moment at={comment.createdAt} />
      </p>
      <p class="comment-body" dir="auto">
        {findLinks(comment.body).map(({ text, href }) =>
          href ? (
            <a href={href} rel="nofollow ugc noopener noreferrer">
              {text}
            </a>
          ) : (
            text
          ),
        )}
      </p>
    </li>
  );
}

export interface CommentFormProps {
  readonly slug: string;
  readonly pageId: string;
  /** The error of the last attempt; the fields below hold what was entered. */
  readonly problem?: string | undefined;
  readonly author?: string | undefined;
  readonly body?: string | undefined;
}

export function CommentForm({ slug, pageId, problem, author, body }: CommentFormProps): VNode {
  return (
    <form class="stack comment-form" method="post" action={urls.api.comments(slug)}>
      {problem && (
        <p class="notice error" role="alert" id="comment-problem">
          {problem}
        </p>
      )}
      <input type="hidden" name="pageId" value={pageId} />
      <label class="field">
        <span class="label">Name (optional)</span>
        <input
          type="text"
          name="author"
          value={author}
          maxLength={limits.maxCommentAuthorChars}
          autocomplete="nickname"
          dir="auto"
        />
      </label>
      <label class="field">
        <span class="label">Comment</span>
        <textarea name="body" rows={4} required dir="auto" aria-describedby={problem ? 'comment-problem' : undefined}>
          {body}
        </textarea>
      </label>
      <label class="field left-empty">
        <span class="label">Leave this field empty</span>
        <input type="text" name="website" tabIndex={-1} autocomplete="off" />
      </label>
      <p class="button-row">
        <button type="submit" class="button">
          Send the comment
        </button>
        <span class="hint">Everybody who can read this page can read it. Plain text, no account.</span>
      </p>
    </form>
  );
}
