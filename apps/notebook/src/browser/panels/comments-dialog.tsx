import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiComment } from '../../api/types.ts';
import { shortTitle } from '../../model/first-line.ts';
import { ignoreMissing } from '../api/ignore-missing.ts';
import { momentWords } from '../device/date-words.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { useFocusOnChange } from '../ui/use-focus-on-change.ts';
import { sentenceOf } from '../ui/use-session.ts';
import { DialogSaid, type Said } from './dialog-said.tsx';

/** Readers' comments, newest first, for the owner to read and delete. */
export function CommentsDialog({ session, onClose }: { session: NotebookSession; onClose: () => void }): VNode {
  const [list, setList] = useState<readonly ApiComment[]>();
  const [message, setMessage] = useState<Said>();
  const load = async (): Promise<void> => setList([...(await session.api.listComments())].reverse());
  useEffect(() => void load().catch(problem => setMessage({ words: sentenceOf(problem), bad: true })), [session]);
  const remove = async ({ id, author }: ApiComment, button: HTMLButtonElement): Promise<void> => {
    // Emptied first, because the same words twice would be announced only once.
    setMessage(undefined);
    try {
      await session.api.deleteComment(id).catch(ignoreMissing);
      if (document.activeElement === button) findNeighbor(button)?.focus();
      setList(now => now?.filter(comment => comment.id !== id));
      setMessage({ words: `The comment by ${author || 'Anonymous'} was deleted.` });
    } catch (problem) {
      setMessage({ words: sentenceOf(problem), bad: true });
    }
  };
  const pageOf = ({ pageId }: ApiComment): string =>
    shortTitle(session.pages.all.find(page => page.id === pageId)?.name ?? 'the notebook');
  return (
    <Dialog title="Comments" wide onClose={onClose}>
      {() => (
        <>
          {list?.length === 0 && <p>Nobody has written a comment yet. Readers find the form under each page.</p>}
          {!session.notebook.comments && (
            <p class="notice calm">Comments are switched off in the settings; only you see these.</p>
          )}
          {list !== undefined && list.length > 0 && (
            <p class="hint">{list.length === 1 ? '1 comment' : `${list.length} comments, newest first`}</p>
          )}
          <ul class="comment-list">
            {list?.map(comment => (
              <li key={comment.id}>
                <p class="comment-head">
                  <strong dir="auto">{comment.author || 'Anonymous'}</strong> on <span dir="auto">{pageOf(comment)}</span>,{' '}
                  <time id={timeId(comment)} dateTime={comment.createdAt}>
                    {momentWords(comment.createdAt)}
                  </time>
                </p>
                <p class="comment-body" dir="auto">
                  {comment.body}
                </p>
                <DeleteComment comment={comment} onDelete={button => void remove(comment, button)} />
              </li>
            ))}
          </ul>
          <DialogSaid message={message} />
        </>
      )}
    </Dialog>
  );
}

const timeId = ({ id }: ApiComment): string => `comment-${id}-time`;

interface DeleteCommentProps {
  readonly comment: ApiComment;
  readonly onDelete: (button: HTMLButtonElement) => void;
}

/** Asks first, because nobody can bring back what a reader wrote. The time tells it from the others by the same reader. */
function DeleteComment({ comment, onDelete }: DeleteCommentProps): VNode {
  const [asking, setAsking] = useState(false);
  const harmless = useFocusOnChange<HTMLButtonElement>(asking);
  const name = `Delete the comment by ${comment.author || 'Anonymous'}`;
  if (!asking)
    return (
      <button
        type="button"
        class="button quiet"
        aria-label={name}
        aria-describedby={timeId(comment)}
        ref={harmless}
        onClick={() => setAsking(true)}
      >
        Delete
      </button>
    );
  return (
    <fieldset class="comment-question" aria-label={`${name}?`} aria-describedby={timeId(comment)}>
      <p>Delete this comment for good?</p>
      <p class="button-row">
        <button type="button" class="button danger" onClick={event => onDelete(event.currentTarget)}>
          Delete it
        </button>
        <button type="button" class="button" ref={harmless} onClick={() => setAsking(false)}>
          Keep it
        </button>
      </p>
    </fieldset>
  );
}

/** The last button of the next comment, or of the previous one if there is no next: the one that deletes nothing at once. */
function findNeighbor(button: HTMLButtonElement): HTMLButtonElement | undefined {
  const item = button.closest('li')!;
  return [...((item.nextElementSibling ?? item.previousElementSibling)?.querySelectorAll('button') ?? [])].at(-1);
}
