import { ApiProblem } from '../api/api-client.ts';
import { getOwnNotebook } from '../api/read-notebook.ts';
import { findSavedNotebook, type SavedNotebook, type SeenState, saveNotebook } from '../device/saved-notebooks.ts';
import { stateWords } from './state-words.ts';

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
  const answer = await find(saved);
  if (isOver()) return;
  const facts = row.querySelector('.saved-facts')!;
  if (answer === 'no answer') {
    row.dataset.state = 'unknown';
    facts.textContent = `${stateWords(saved, saved.seen, Date.now())} (The server could not be asked.)`;
    return;
  }
  row.dataset.state = answer.seen ?? 'active';
  facts.textContent = stateWords(answer, answer.seen, 'as the server says');
  // An unchanged one may have its address behind it.
  if (answer.title !== saved.title) row.querySelector('.saved-name a')!.textContent = answer.title;
  keep(saved, answer);
}

async function find(saved: SavedNotebook): Promise<SavedNotebook | 'no answer'> {
  try {
    const { title, expiresAt, lifecycle, openedAt } = await getOwnNotebook(saved.editToken);
    return { ...saved, title, expiresAt, seen: lifecycle, ...(openedAt ? { openedAt } : {}) };
  } catch (problem) {
    const seen = problem instanceof ApiProblem ? stateOf(problem.code) : undefined;
    return seen ? { ...saved, seen } : 'no answer';
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
