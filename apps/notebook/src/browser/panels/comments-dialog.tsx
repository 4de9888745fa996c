import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiComment } from '../../api/types.ts';
import { ignoreMissing } from '../api/ignore-missing.ts';
import { momentWords } from '../device/date-words.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { sentenceOf } from '../ui/use-session.ts';

/** Readers' comments, newest first, for the owner to read and delete. */
export function CommentsDialog({ session, onClose }: { session: NotebookSession; onClose: () => void }): VNode {
  const [list, setList] = useState<readonly ApiComment[]>();
  const [message, setMessage] = useState('');
  const items = useRef<HTMLUListElement>(null);
  const load = async (): Promise<void> => setList([...(await session.api.listComments())].reverse());
  useEffect(() => void load().catch(problem => setMessage(sentenceOf(problem))), [session]);
  const remove = async ({ id, author }: ApiComment, button: HTMLButtonElement): Promise<void> => {
    try {
      await session.api.deleteComment(id).catch(ignoreMissing);
      if (document.activeElement === button) findNeighbor(items.current!, button)?.focus();
      setList(now => now?.filter(comment => comment.id !== id));
      setMessage(`The comment by ${author || 'Anonymous'} was deleted.`);
    } catch (problem) {
      setMessage(sentenceOf(problem));
    }
  };
  const pageOf = ({ pageId }: ApiComment): string => session.pages.all.find(page => page.id === pageId)?.title ?? 'the notebook';
  return (
    <Dialog title="Comments" wide onClose={onClose}>
      {() => (
        <>
          {list?.length === 0 && <p>Nobody has written a comment yet. Readers find the form under each page.</p>}
          {!session.notebook.comments && <p class="notice">Comments are switched off in the settings; only you see these.</p>}
          <ul class="comment-list" ref={items}>
            {list?.map(comment => (
              <li key={comment.id}>
                <p class="comment-head">
                  <strong dir="auto">{comment.author || 'Anonymous'}</strong> on <span dir="auto">{pageOf(comment)}</span>,{' '}
                  <time dateTime={comment.createdAt}>{momentWords(comment.createdAt)}</time>
                </p>
                <p class="comment-body" dir="auto">
                  {comment.body}
                </p>
                <button
                  type="button"
                  class="button quiet"
                  aria-label={`Delete the comment by ${comment.author || 'Anonymous'}`}
                  onClick={event => void remove(comment, event.currentTarget)}
                >
                  Delete
                </button>
              </li>
            ))}
          </ul>
          <p class="notice" role="status">
            {message}
          </p>
        </>
      )}
    </Dialog>
  );
}

/** The same button of the next comment, or of the previous one if there is no next. */
function findNeighbor(list: HTMLElement, button: HTMLButtonElement): HTMLButtonElement | undefined {
  const buttons = [...list.querySelectorAll('button')];
  const place = buttons.indexOf(button);
  return buttons[place + 1] ?? buttons[place - 1];
}
