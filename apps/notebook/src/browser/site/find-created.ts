import { ApiProblem, createNotebook } from '../api/api-client.ts';
import { creatingPrefix, keysWithPrefix, readKey, removeKey } from '../device/device-storage.ts';
import { requireElement } from '../ui/require-element.ts';
import { saveCreated } from './created-links.ts';

/** A request that was on its way when it was asked after may have arrived later, and another tab may try again. */
const settledMillis = 3_600_000;

/** Puts what unanswered creates have made into the list: nobody else has the links. On the home page alone, where the list is to be seen. */
export async function findCreated(): Promise<void> {
  const list = document.querySelector('[data-saved-list]');
  if (!list) return;
  const titles: string[] = [];
  for (const name of keysWithPrefix(creatingPrefix)) {
    const title = await takeIn(name);
    if (title !== undefined) titles.push(title);
  }
  if (titles.length > 0) tell(titles, list);
}

/** @returns the title of the notebook that is in the list now */
async function takeIn(name: string): Promise<string | undefined> {
  try {
    // The server looks for what the key has made first. It makes nothing for a slug that is none.
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

function tell(titles: readonly string[], list: Element): void {
  // Drawn anew by browser/home/home.ts.
  dispatchEvent(new StorageEvent('storage', { key: null }));
  const names = titles.map(title => `“${title}”`).join(', ');
  const line = document.createElement('p');
  line.className = 'notice';
  line.dir = 'auto';
  line.textContent = `An earlier try was published after all: ${names}. Only this list has the edit link.`;
  list.before(line);
  requireElement<HTMLElement>('[data-saved-status]').textContent = line.textContent;
}
