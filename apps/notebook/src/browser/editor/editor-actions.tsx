import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ApiNotebook } from '../../api/types.ts';
import { limits } from '../../limits.ts';
import { urls } from '../../urls.ts';
import { readPersistence } from '../device/persistent-storage.ts';
import { isComposing } from '../field/formatting/key-names.ts';
import { ImageUploads } from '../field/images/image-uploads.ts';
import { CommentsDialog } from '../panels/comments-dialog.tsx';
import { DeleteNotebookDialog } from '../panels/delete-notebook-dialog.tsx';
import { EarlierVersions } from '../panels/earlier-versions.tsx';
import { ImagesDialog } from '../panels/images-dialog.tsx';
import { SettingsDialog } from '../panels/settings-dialog.tsx';
import { ShareDialog } from '../panels/share/share-dialog.tsx';
import { untitled } from '../session/name-untitled.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { saveTitle, titleOf } from '../session/notebook-title.ts';
import { TypedTitles } from '../session/typed-titles.ts';
import { sentenceOf, useSession } from '../ui/use-session.ts';
import { OwnerButtons, type OwnerPanel } from './owner-buttons.tsx';
import { SaveStateLine } from './save-state-line.tsx';

type Panel = OwnerPanel | 'share' | 'delete';

/** The editor's header: title, save state and everything that concerns the whole notebook. */
export function EditorActions({ session }: { session: NotebookSession }): VNode {
  useSession(session);
  const [panel, setPanel] = useState<Panel>();
  const close = (): void => setPanel(undefined);
  const [said, setSaid] = useState('');
  const open = (next: Panel): void => {
    // Emptied first, because the same words twice would be announced only once.
    setSaid('');
    setPanel(next);
  };
  // Asked early, because the share panel shows the answer and would jump if it came late.
  useEffect(() => void readPersistence(), []);
  return (
    <>
      <TitleField session={session} />
      <SaveStateLine session={session} />
      <button
        type="button"
        class="button quiet writing-done"
        title="Show all buttons"
        // The focus would leave the text before the click, and this button with it.
        onMouseDown={event => event.preventDefault()}
        onClick={showAllButtons}
      >
        Done
      </button>
      <div class="editor-buttons">
        {!session.isVisitor && (
          <button type="button" class="button primary" onClick={() => open('share')}>
            Share
          </button>
        )}
        {hasView(session.notebook) && (
          <a class="button quiet" href={urls.view(session.slug)} target="_blank" rel="noopener">
            View
          </a>
        )}
        {!session.isVisitor && <OwnerButtons hasImages={!ImageUploads.of(session).off} open={open} />}
      </div>
      <p class="visually-hidden" role="status">
        {said}
      </p>
      {panel === 'share' && <ShareDialog session={session} onClose={close} onShow={() => setPanel('share')} />}
      {panel === 'settings' && (
        <SettingsDialog session={session} onClose={close} onShare={() => setPanel('share')} onDelete={() => setPanel('delete')} />
      )}
      {panel === 'versions' && <EarlierVersions session={session} onClose={close} onRestored={setSaid} />}
      {panel === 'images' && <ImagesDialog session={session} onClose={close} />}
      {panel === 'comments' && <CommentsDialog session={session} onClose={close} />}
      {panel === 'delete' && <DeleteNotebookDialog session={session} onClose={close} />}
    </>
  );
}

/** Ends the writing, during which a short window hides the buttons (short-screen.css). */
function showAllButtons(): void {
  (document.activeElement as HTMLElement | null)?.blur();
  document.querySelector<HTMLElement>('.editor-buttons > *')?.focus({ preventScroll: true });
}

/** False if the view link works for nobody. The owner should not have to learn that from an error page. */
function hasView({ visibility, lifecycle }: ApiNotebook): boolean {
  return visibility !== 'private' && lifecycle === 'active';
}

const shownOf = (title: string): string => (title === untitled ? '' : title);

function TitleField({ session }: { session: NotebookSession }): VNode {
  const [fault, setFault] = useState('');
  const input = useRef<HTMLInputElement>(null);
  /** The last title sent, until the server answers. It is compared too, because going back to the previous title is also a change. */
  const sending = useRef<string | undefined>(undefined);
  /** The text that the field was given to show. Something else in it was typed. */
  const given = useRef(shownOf(titleOf(session)));
  const typed = TypedTitles.of(session);
  const shown = shownOf(titleOf(session));
  const show = (): void => {
    given.current = shown;
    input.current!.value = shown;
  };
  useLayoutEffect(() => {
    document.title = `${shown || 'New notebook'} · Octavo`;
    // Shows a title that came from the text or from elsewhere, but not while the person is typing one.
    if (document.activeElement !== input.current) show();
  }, [shown]);
  const save = async (field: HTMLInputElement): Promise<void> => {
    const title = field.value.trim();
    const before = sending.current ?? titleOf(session);
    if (title === before || (title === '' && before === untitled)) {
      field.value = shownOf(before);
      typed.forgetNotebookTitle(title);
      setFault('');
      return;
    }
    await send(title);
    // For no title, the answer is the first heading, which may be the title that was here before.
    if (title === '' && document.activeElement !== field) field.value = shownOf(sending.current ?? titleOf(session));
  };
  const send = async (title: string, options: { keepalive?: boolean } = {}): Promise<void> => {
    sending.current = title;
    try {
      await saveTitle(session, title, options);
      typed.forgetNotebookTitle(title);
      setFault('');
    } catch (problem) {
      setFault(`The title was not saved. ${sentenceOf(problem)}`);
    }
    if (sending.current === title) sending.current = undefined;
  };
  // The window may close in a moment, and closing it does not blur the field.
  useLayoutEffect(() => {
    const leave = (): void => {
      const title = input.current?.value.trim() ?? '';
      const before = sending.current ?? titleOf(session);
      // A field that is empty for the moment is where the next title will be written.
      const isWritten = document.activeElement === input.current && title !== '' && title !== before;
      if (document.visibilityState === 'hidden' && isWritten && !session.isVisitor) void send(title, { keepalive: true });
    };
    document.addEventListener('visibilitychange', leave);
    return () => document.removeEventListener('visibilitychange', leave);
  }, []);
  return (
    <div class="editor-title">
      <input
        type="text"
        dir="auto"
        aria-label="Notebook title"
        ref={input}
        defaultValue={shown}
        placeholder="Title"
        maxLength={limits.maxTitleChars}
        readOnly={session.isVisitor}
        onInput={event => typed.keepNotebookTitle(event.currentTarget.value.trim())}
        onChange={event => void save(event.currentTarget)}
        // A title that came meanwhile is shown when the person leaves the field and typed nothing.
        onBlur={event => event.currentTarget.value === given.current && show()}
        onKeyDown={event => event.key === 'Enter' && !isComposing(event) && event.currentTarget.blur()}
      />
      {fault && (
        <p class="notice error" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
