import { render } from 'preact';
import { NoConnection } from '../api/api-client.ts';
import { whyGone } from '../api/why-gone.ts';
import { listKeptNotebooks } from '../device/saved-notebooks.ts';
import type { AbandonedDraft } from '../session/draft.ts';
import { findDrafts } from '../session/drafts.ts';
import { NotebookSession } from '../session/notebook-session.ts';
import { isGone } from '../session/notebook-sync.ts';
import { forgetOfflineCopy } from '../session/offline-copy.ts';
import { TypedTitles } from '../session/typed-titles.ts';
import { catchLostFocus } from '../ui/lost-focus.ts';
import { requireElement } from '../ui/require-element.ts';
import { sentenceOf } from '../ui/use-session.ts';
import { EditLinkForm } from './edit-link-form.tsx';
import { EditorActions } from './editor-actions.tsx';
import { findEditToken, hideEditToken, keepEditToken, markGone } from './find-edit-token.ts';
import { tellLifecycle } from './lifecycle-note.ts';
import { askAboutList } from './list-question.ts';
import { deadLinkWords } from './lost-words.ts';
import { takeOpeningNotebook } from './opening-notebook.ts';
import { SessionAlerts } from './session-alerts.tsx';
import { guardSession } from './session-life.ts';
import { watchScreen } from './short-screen.ts';
import { UnsavedDrafts } from './unsaved-drafts.tsx';
import { watchExpiry } from './watch-expiry.ts';
import { Workspace } from './workspace.tsx';

const shell = requireElement<HTMLElement>('#editor');
const root = requireElement<HTMLElement>('#editor-root');
const actions = requireElement<HTMLElement>('#editor-actions');

/** The start of the editor in one task would hold a slow phone for a quarter of a second. */
const nextTask = (): Promise<void> => new Promise(resolve => setTimeout(resolve));

/** Opens the notebook of this edit token, or says why it cannot and asks for another link. */
async function open(editToken: string): Promise<void> {
  try {
    const read = takeOpeningNotebook();
    if (read) await nextTask();
    await show(await NotebookSession.open(editToken, read));
  } catch (problem) {
    const slug = shell.dataset.slug ?? findSlug(editToken);
    const dead = isGone(problem) ? await whyGone(problem, slug, editToken) : undefined;
    const offline = problem instanceof NoConnection && slug !== undefined;
    const kept = offline ? await NotebookSession.openOffline(slug, editToken) : undefined;
    if (kept) return show(kept);
    if (dead !== undefined && slug !== undefined) void forgetOfflineCopy(slug);
    const drafts = slug === undefined ? [] : await findDrafts(slug);
    if (dead !== undefined && slug !== undefined) markGone(slug, editToken);
    ask(dead === undefined ? sentenceOf(problem) : deadLinkWords(dead), slug, drafts);
  }
}

let isOpening = false;

/** Ignores a second press while the notebook is opening. */
async function openOnce(editToken: string): Promise<void> {
  if (isOpening) return;
  isOpening = true;
  await open(editToken);
  isOpening = false;
}

async function show(session: NotebookSession): Promise<void> {
  await TypedTitles.of(session).adopt();
  if (session.editToken !== undefined) hideEditToken(session.slug, session.editToken);
  guardSession(session);
  // The focus can be lost with the field of a page deleted elsewhere, or with a dismissed note.
  catchLostFocus('.markdown-field, .session-notes');
  askAboutList(session);
  tellLifecycle(session);
  watchExpiry(session);
  // The service worker keeps the editor, this session keeps the text. `OFFLINE=off` disables both.
  if (session.editToken !== undefined && 'worker' in document.documentElement.dataset) {
    session.keepForOffline();
    void navigator.serviceWorker?.ready.then(({ active }) => active?.postMessage('keep-editor'));
  }
  await nextTask();
  // Read before anything changes, so that nothing is laid out for it.
  const text = root.querySelector('.opening-text');
  const wasTapped = text !== null && document.activeElement === text;
  const scrolled = text?.scrollTop ?? 0;
  watchScreen();
  removeOpening();
  render(
    <>
      <Workspace session={session} />
      <SessionAlerts session={session} />
    </>,
    root,
  );
  render(<EditorActions session={session} />, actions);
  const field = document.querySelector<HTMLElement>('#markdown-field');
  const isEmpty = session.pages.all.every(({ saver }) => saver.text === '');
  if ((isEmpty || wasTapped) && document.activeElement === document.body) field?.focus({ preventScroll: true });
  if (field && scrolled > 0) field.scrollTop = scrolled;
}

/** Removes what the server drew, with the text that it showed for the time being. */
function removeOpening(): void {
  root.replaceChildren();
  actions.replaceChildren();
  delete shell.dataset.opening;
}

function ask(problem?: string, slug?: string, kept: readonly AbandonedDraft[] = []): void {
  // Removes the server's markup once. A form that is already shown stays, with what was pasted into it.
  if (!root.querySelector('form')) removeOpening();
  render(
    <>
      <EditLinkForm problem={problem} onToken={openOnce} />
      {slug !== undefined && kept.length > 0 && <UnsavedDrafts slug={slug} drafts={kept} />}
    </>,
    root,
  );
}

function findSlug(editToken: string): string | undefined {
  return listKeptNotebooks().find(saved => saved.editToken === editToken)?.slug;
}

/** Opens the notebook without a token: the server decides whether visitors may write. */
async function openAsVisitor(slug: string): Promise<void> {
  try {
    await show(await NotebookSession.openAsVisitor(slug));
  } catch (problem) {
    requireElement<HTMLElement>('[data-editor-opening]').textContent = sentenceOf(problem);
  }
}

const { mode, slug } = shell.dataset;
const editToken = findEditToken(mode, slug);
if (mode === 'token' && slug !== undefined && editToken !== undefined) keepEditToken(slug, editToken);
if (mode === 'visitor' && slug !== undefined) void openAsVisitor(slug);
else if (editToken === undefined) ask();
else void open(editToken);
