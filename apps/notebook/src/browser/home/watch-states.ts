import { ApiProblem } from '../api/api-client.ts';
import { getOwnNotebook } from '../api/read-notebook.ts';
import { whyGone } from '../api/why-gone.ts';
import { findSavedNotebook, type SavedNotebook, type SeenState, saveNotebook } from '../device/saved-notebooks.ts';
import { addressOf, stateWords } from './state-words.ts';

/** A list of 200 must not become 200 requests at once. */
const mostAtOnce = 4;

/** Asks the server about the notebooks in view, a few at a time, and writes the answers into their rows. */
export function watchStates(list: HTMLElement, saved: readonly SavedNotebook[]): () => void {
  const bySlug = new Map(saved.map(notebook => [notebook.slug, notebook]));
  const waiting: HTMLElement[] = [];
  let asking = 0;
  let over = false;
  const next = async (): Promise<void> => {
    const row = asking < mostAtOnce && !over ? waiting.shift() : undefined;
    if (!row) return;
    asking += 1;
    await ask(row, bySlug.get(row.dataset.slug!)!, () => over);
    asking -= 1;
    void next();
  };
  const sight = new IntersectionObserver(
    entries => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        sight.unobserve(target);
        waiting.push(target as HTMLElement);
        void next();
      }
    },
    { rootMargin: '200px' },
  );
  for (const row of list.children) sight.observe(row);
  return () => {
    over = true;
    sight.disconnect();
  };
}

async function ask(row: HTMLElement, saved: SavedNotebook, isOver: () => boolean): Promise<void> {
  const found = await find(saved);
  if (isOver()) return;
  const facts = row.querySelector('.saved-facts')!;
  if (found === 'no answer') {
    row.dataset.state = 'unknown';
    facts.textContent = `${stateWords(saved, saved.seen, Date.now())} (The server could not be asked.)`;
    return;
  }
  const { answer, isClosed, isReplaced } = found;
  const state = isReplaced ? 'replaced' : answer.seen;
  row.dataset.state = state ?? 'active';
  facts.textContent = stateWords(answer, state, 'as the server says');
  const link = row.querySelector<HTMLAnchorElement>('.saved-name a')!;
  link.href = addressOf(answer, isClosed);
  // An unchanged one may have its address behind it.
  if (answer.title !== saved.title) link.textContent = answer.title;
  keep(saved, answer);
}

interface Found {
  readonly answer: SavedNotebook;
  /** Private, or to be read once. */
  readonly isClosed?: boolean;
  /** The notebook is there, but its edit link was replaced. */
  readonly isReplaced?: boolean;
}

async function find(saved: SavedNotebook): Promise<Found | 'no answer'> {
  try {
    const { title, expiresAt, lifecycle, openedAt, visibility, burnAfterRead } = await getOwnNotebook(saved.editToken);
    const answer = { ...saved, title, expiresAt, seen: lifecycle, ...(openedAt ? { openedAt } : {}) };
    return { answer, isClosed: visibility === 'private' || burnAfterRead };
  } catch (problem) {
    const code = problem instanceof ApiProblem ? await whyGone(problem, saved.slug, saved.editToken) : '';
    const seen = stateOf(code);
    return seen ? { answer: { ...saved, seen }, isReplaced: code === 'edit_token_invalid' } : 'no answer';
  }
}

/** Checks our own error codes: a 404 from some proxy on the way says nothing about the notebook. */
function stateOf(code: string): SeenState | undefined {
  if (code === 'taken_down') return 'taken-down';
  return code === 'not_found' || code === 'edit_token_invalid' ? 'gone' : undefined;
}

/** Stores the answer unless the notebook was removed or replaced meanwhile. If storage is full the older facts stay; nothing is lost. */
function keep(asked: SavedNotebook, answer: SavedNotebook): void {
  const now = findSavedNotebook(asked.slug);
  if (now?.editToken !== asked.editToken) return;
  const { title, expiresAt, seen, openedAt } = answer;
  const fresh = { ...now, title, expiresAt, ...(seen ? { seen } : {}), ...(openedAt ? { openedAt } : {}) };
  if (JSON.stringify(fresh) !== JSON.stringify(now)) saveNotebook(fresh);
}
