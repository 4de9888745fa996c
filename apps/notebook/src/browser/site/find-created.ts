import { ApiProblem, createNotebook } from '../api/api-client.ts';
import { creatingPrefix, keysWithPrefix, readKey, removeKey } from '../device/device-storage.ts';
import { requireElement } from '../ui/require-element.ts';
import { saveCreated } from './created-links.ts';

/** A key is kept this long: its request may arrive after we asked about it, and another tab may send it again. */
const settledMillis = 3_600_000;

/** Lists notebooks made by unanswered requests, because nobody else has their links. Only on the home page, where the list is visible. */
export async function findCreated(): Promise<void> {
  const list = document.querySelector('[data-saved-list]');
  if (!list) return;
  const titles: string[] = [];
  for (const name of keysWithPrefix(creatingPrefix)) {
    const title = await addCreated(name);
    if (title !== undefined) titles.push(title);
  }
  if (titles.length > 0) announce(titles, list);
}

/** @returns the title of the notebook that was added to the list */
async function addCreated(name: string): Promise<string | undefined> {
  try {
    // The server first looks up what the key has created. For an invalid slug it creates nothing.
    const created = await createNotebook({ slug: '' }, name.slice(creatingPrefix.length));
    if (!saveCreated(created)) return undefined;
    removeKey(name);
    return created.notebook.title;
  } catch (problem) {
    const isKnown = problem instanceof ApiProblem && ['invalid', 'taken_down'].includes(problem.code);
    if (isKnown && !(Date.now() - Number(readKey(name)) < settledMillis)) removeKey(name);
    return undefined;
  }
}

function announce(titles: readonly string[], list: Element): void {
  // Makes browser/home/home.ts render the list again.
  dispatchEvent(new StorageEvent('storage', { key: null }));
  const names = titles.map(title => `“${title}”`).join(', ');
  const line = document.createElement('p');
  line.className = 'notice';
  line.dir = 'auto';
  line.textContent = `An earlier try was published after all: ${names}. Only this list has the edit link.`;
  list.before(line);
  requireElement<HTMLElement>('[data-saved-status]').textContent = line.textContent;
}
