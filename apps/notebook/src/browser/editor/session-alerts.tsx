import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { urls } from '../../urls.ts';
import { Conflict } from '../panels/conflict-dialog.tsx';
import { KeptTextsDialog } from '../panels/kept-texts-dialog.tsx';
import type { EditorPage } from '../session/editor-page.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import type { SessionNote } from '../session/session-notes.ts';
import { sentenceOf, useSession } from '../ui/use-session.ts';
import { lostWords } from './lost-words.ts';

/** Everything the writer must know or decide so that no text is lost. */
export function SessionAlerts({ session }: { session: NotebookSession }): VNode {
  useSession(session);
  const [showsKept, setShowsKept] = useState(false);
  const page = session.current;
  const { state } = page.saver;
  return (
    <>
      <div class="session-notes">
        <Notes session={session} />
        {session.lost ? (
          <LostNotebook session={session} onShow={() => setShowsKept(true)} />
        ) : (
          <>
            {state.kind === 'lost' && <LostPage key={page.key} session={session} page={page} />}
            {session.orphanedTexts.length > 0 && <OrphanedTexts onShow={() => setShowsKept(true)} />}
          </>
        )}
        {!session.lost && <OtherPage session={session} />}
        {state.kind === 'conflict' && (
          <Conflict key={page.key} page={page} name={page.name} theirs={state.theirs} isVisitor={session.isVisitor} />
        )}
      </div>
      {showsKept && <KeptTextsDialog session={session} onClose={() => setShowsKept(false)} />}
    </>
  );
}

/** The box exists before its notes, so that they are announced. A lost notebook shows none, because they are of no use any more. */
function Notes({ session }: { session: NotebookSession }): VNode {
  const notes = session.lost ? [] : session.notes.list;
  return (
    <div role="status" class="session-notes-said">
      {notes.map(note => (
        <p key={note.name} class={`session-note notice ${toneClass(note)}`}>
          <span id={idOf(note)}>{note.text}</span>
          {note.action && (
            <button type="button" class="button" onClick={note.action.run}>
              {note.action.label}
            </button>
          )}
          <button
            type="button"
            class="button quiet"
            aria-describedby={idOf(note)}
            onClick={() => session.notes.dismiss(note.name)}
          >
            Dismiss
          </button>
        </p>
      ))}
    </div>
  );
}

/** Tells buttons of several notes apart. In the button's name, the words would be announced twice with a new note. */
const idOf = ({ name }: SessionNote) => `note-${name.replaceAll(' ', '-')}`;

const toneClass = ({ tone }: SessionNote) => (tone === 'good' ? '' : (tone ?? 'calm'));

function LostNotebook({ session, onShow }: { session: NotebookSession; onShow: () => void }): VNode {
  return (
    <p class="session-note notice warning" role="alert">
      <span>
        {lostWords(session.goneCode, session.isVisitor)}{' '}
        {session.hasUnsaved && 'What you wrote since the last save is only here.'}
      </span>
      {session.goneCode === 'password_required' && (
        <a class="button" href={urls.view(session.slug)} target="_blank" rel="noopener">
          Unlock it
        </a>
      )}
      <button type="button" class="button" onClick={onShow}>
        Copy or download the text
      </button>
    </p>
  );
}

function LostPage({ session, page }: { session: NotebookSession; page: EditorPage }): VNode {
  const [fault, setFault] = useState('');
  return (
    <p class="session-note notice warning" role="alert">
      <span>
        <strong dir="auto">{page.name}</strong> was deleted elsewhere. What you wrote is kept on this device. {fault}
      </span>
      <button
        type="button"
        class="button"
        onClick={() => void session.pages.addLost(page).catch((problem: unknown) => setFault(sentenceOf(problem)))}
      >
        Add it as a new page
      </button>
      <button type="button" class="button quiet" onClick={() => session.pages.drop(page.id)}>
        Discard it
      </button>
    </p>
  );
}

/** The state line tells of trouble on any page, but not which page it is. One at a time: the next follows when it is over. */
function OtherPage({ session }: { session: NotebookSession }): VNode | null {
  const page = session.pages.all.find(other => other !== session.current && troubleWords(other) !== undefined);
  if (!page) return null;
  return (
    <p class="session-note notice warning">
      <span>
        <strong dir="auto">{page.name}</strong> {troubleWords(page)}
      </span>
      <button type="button" class="button" onClick={() => session.pages.select(page.id)}>
        Open the page
      </button>
    </p>
  );
}

/** Says what the writer must decide on a page, not what passes by itself or concerns every page. */
function troubleWords({ saver: { state } }: EditorPage): string | undefined {
  if (state.kind === 'conflict') return 'was changed elsewhere. Yours is not saved until you choose.';
  if (state.kind === 'lost') return 'was deleted elsewhere. What you wrote is kept on this device.';
  if (state.kind === 'refused' && !state.waitsForRight && !state.triesAgain) return `is not saved: ${state.reason}`;
  return undefined;
}

function OrphanedTexts({ onShow }: { onShow: () => void }): VNode {
  return (
    <p class="session-note notice warning">
      <span>This device keeps more unsaved text of this notebook.</span>
      <button type="button" class="button" onClick={onShow}>
        Look at it
      </button>
    </p>
  );
}
