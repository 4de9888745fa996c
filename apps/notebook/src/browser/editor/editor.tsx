import { render } from 'preact';
import { ApiProblem } from '../api-client.ts';
import { need } from '../created-links.ts';
import { forgetNotebook } from '../saved-notebooks.ts';
import { EditLinkForm } from './edit-link-form.tsx';
import { EditorActions } from './editor-actions.tsx';
import { findEditToken, hideEditToken } from './find-edit-token.ts';
import { NotebookSession } from './notebook-session.ts';
import { sentenceOf } from './use-session.ts';
import { Workspace } from './workspace.tsx';

const shell = need<HTMLElement>('#editor');
const root = need<HTMLElement>('#editor-root');
const actions = need<HTMLElement>('#editor-actions');

/** Opens the notebook of this edit token, or says why not and asks for another link. */
async function open(editToken: string): Promise<void> {
  try {
    show(await NotebookSession.open(editToken));
  } catch (problem) {
    const dead = problem instanceof ApiProblem && [401, 403, 404].includes(problem.status);
    if (dead && shell.dataset.slug) forgetIfDead(shell.dataset.slug, editToken);
    ask(
      dead ? 'This edit link opens nothing: the notebook is gone, or the link was replaced by a newer one.' : sentenceOf(problem),
    );
  }
}

/** A token that the server does not know any more is of no use in the list; the address it stood for may be somebody's else by now. */
function forgetIfDead(slug: string, editToken: string): void {
  if (findEditToken('stored', slug) === editToken) forgetNotebook(slug);
}

function show(session: NotebookSession): void {
  if (!session.isVisitor) hideEditToken(session.slug);
  guardUnsaved(session);
  document.title = `${session.notebook.title} · Octavo`;
  root.replaceChildren();
  render(<Workspace session={session} />, root);
  render(<EditorActions session={session} />, actions);
}

function ask(problem?: string): void {
  root.replaceChildren();
  render(<EditLinkForm problem={problem} onToken={open} />, root);
}

function guardUnsaved(session: NotebookSession): void {
  addEventListener('beforeunload', event => {
    if (!session.hasUnsaved) return;
    session.saveAll();
    event.preventDefault();
  });
  // Phones end a page without asking: hidden is the last moment that is sure to come.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') session.saveAll({ keepalive: true });
  });
  addEventListener('pagehide', () => void session.deleted.carryOutAll({ keepalive: true }));
  addEventListener('online', () => session.saveAll());
  addEventListener('keydown', event => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's' || event.shiftKey || event.altKey) return;
    event.preventDefault();
    session.saveAll({ explicit: true });
  });
  // The back button may bring back an editor whose notebook was deleted or changed meanwhile.
  addEventListener('pageshow', event => event.persisted && !session.hasUnsaved && location.reload());
}

/** Without a token there is nothing to ask for: the server says whether visitors may write. */
async function openAsVisitor(slug: string): Promise<void> {
  try {
    show(await NotebookSession.openAsVisitor(slug));
  } catch (problem) {
    need<HTMLElement>('[data-editor-opening]').textContent = sentenceOf(problem);
  }
}

const { mode, slug } = shell.dataset;
const editToken = findEditToken(mode, slug);
if (mode === 'visitor' && slug !== undefined) void openAsVisitor(slug);
else if (editToken === undefined) ask();
else void open(editToken);
