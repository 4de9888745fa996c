import { urls } from '../../urls.ts';
import { canStore } from '../device/device-storage.ts';
import {
  addToList,
  findSavedNotebook,
  forgetNotebook,
  listKeptNotebooks,
  listSavedNotebooks,
  notebookPrefix,
  type SavedNotebook,
  saveNotebook,
} from '../device/saved-notebooks.ts';
import { requireElement } from '../ui/require-element.ts';
import { addressOf, stateWords } from './state-words.ts';

const list = requireElement<HTMLUListElement>('[data-saved-list]');
const status = requireElement<HTMLElement>('[data-saved-status]');
let stopWatching: (() => void) | undefined;

/** Inserts text as text nodes only, because anybody may have written a title. */
function link(href: string, words: string, className = '', about?: string): HTMLAnchorElement {
  const made = document.createElement('a');
  made.href = href;
  made.textContent = words;
  made.className = className;
  made.dir = 'auto';
  if (about !== undefined) made.ariaLabel = `${words}: ${about}`;
  return made;
}

function button(words: string, name: string, press: () => void): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'button quiet';
  made.textContent = words;
  made.ariaLabel = name;
  made.addEventListener('click', press);
  return made;
}

/** Removes the notebook at once. "Undo" stays as long as this page, because a forgotten edit link is hard to get back. */
function remove(notebook: SavedNotebook): void {
  const { slug, title, listed } = notebook;
  const isListed = listed !== false;
  forgetNotebook(slug);
  show();
  const line = document.createElement('p');
  line.className = 'notice warning saved-undo';
  const words = document.createElement('span');
  words.textContent = `“${title}” was removed. The notebook stays, but when you leave this page its edit link is forgotten here.`;
  const undo = button('Undo', `Undo removing ${title}`, () => {
    // Another tab may have stored it again meanwhile, with an edit link that replaced this one.
    const again = findSavedNotebook(slug);
    const back = again ? !isListed || addToList(slug) : saveNotebook(notebook);
    status.textContent = back ? `${title} is back.` : 'This browser did not keep it.';
    // The line stays, because the edit link is nowhere else.
    if (!back) return;
    line.remove();
    show();
    focusEntry(slug);
  });
  line.append(words, undo);
  list.before(line);
  status.textContent = `${title} was removed.`;
  undo.focus();
}

function focusEntry(slug: string): void {
  const control = document.querySelector<HTMLElement>(`[data-slug="${slug}"] button`);
  const box = control?.closest('details');
  if (box) box.open = true;
  control?.focus();
}

/** @param title tells it from the others of the list */
function item(notebook: SavedNotebook, title: string): HTMLLIElement {
  const made = document.createElement('li');
  made.dataset.slug = notebook.slug;
  made.dataset.state = notebook.seen ?? 'active';
  const name = document.createElement('div');
  name.className = 'saved-name';
  const about = document.createElement('span');
  about.className = 'saved-facts';
  about.textContent = stateWords(notebook, notebook.seen, Date.now());
  name.append(link(addressOf(notebook), title), about);
  const actions = document.createElement('div');
  actions.className = 'saved-actions';
  actions.append(
    link(urls.edit(notebook.slug), 'Edit', 'button quiet', title),
    button('Remove', `Remove from this list: ${title}`, () => remove(notebook)),
  );
  made.append(name, actions);
  return made;
}

/** Shows notebooks that were opened by an edit link but not listed, so that the browser's owner can see that they are kept. */
function showOpened(): void {
  const opened = listKeptNotebooks().filter(({ listed }) => listed === false);
  const box = requireElement<HTMLDetailsElement>('[data-opened]');
  // If the list is empty, a person who just opened an edit link looks for the notebook here.
  if (box.hidden && opened.length > 0) box.open = listSavedNotebooks().length === 0;
  box.hidden = opened.length === 0;
  requireElement<HTMLUListElement>('[data-opened-list]').replaceChildren(...opened.map(openedItem));
}

function openedItem(notebook: SavedNotebook): HTMLLIElement {
  const { slug, title } = notebook;
  const made = document.createElement('li');
  made.dataset.slug = slug;
  const again = (words: string) => {
    status.textContent = words;
    show();
    requireElement<HTMLElement>('#saved-title').focus();
  };
  made.append(
    link(urls.edit(slug), title),
    button('Keep in the list', `Keep in the list: ${title}`, () =>
      again(addToList(slug) ? `${title} is in the list.` : 'This browser did not keep it.'),
    ),
    button('Forget', `Forget the edit link of ${title}`, () => remove(notebook)),
  );
  return made;
}

/** Entries are redrawn when another tab changes the list. @returns a function that puts the focus back where it was */
function keepFocus(): () => void {
  const focused = document.activeElement;
  const slug = focused?.closest<HTMLElement>('[data-slug]')?.dataset.slug;
  const controls = () => [...document.querySelectorAll<HTMLElement>(`[data-slug="${slug}"] :is(a, button)`)];
  const place = slug === undefined ? -1 : controls().indexOf(focused as HTMLElement);
  return () => {
    if (place >= 0 && document.activeElement === document.body) controls()[place]?.focus({ preventScroll: true });
  };
}

function show(): void {
  const restoreFocus = keepFocus();
  showOpened();
  const saved = listSavedNotebooks();
  stopWatching?.();
  const isRepeated = new Map<string, boolean>();
  for (const { title } of saved) isRepeated.set(title, isRepeated.has(title));
  list.replaceChildren(
    ...saved.map(notebook => {
      const { title, slug } = notebook;
      return item(notebook, isRepeated.get(title) ? `${title} (${slug})` : title);
    }),
  );
  const isEmpty = saved.length === 0;
  const stores = canStore();
  list.hidden = isEmpty;
  requireElement<HTMLElement>('[data-saved-empty]').hidden = !isEmpty || !stores;
  requireElement<HTMLElement>('[data-saved-blocked]').hidden = !isEmpty || stores;
  requireElement<HTMLElement>('[data-saved-full]').hidden = isEmpty || stores;
  restoreFocus();
  if (!isEmpty) void watch(saved);
}

const loadStates = () => import('./watch-states.ts');

/** The list is shown before the server is asked; its answers are filled in later. */
async function watch(saved: readonly SavedNotebook[]): Promise<void> {
  // Not destructured at the await, because Vite would wrap that in an extra function.
  const states = await loadStates();
  if (saved[0]?.slug === list.querySelector<HTMLElement>('li')?.dataset.slug) stopWatching = states.watchStates(list, saved);
}

show();
// Another tab may create, delete or clear, and the back button may bring back a page that was shown long ago.
addEventListener('storage', ({ key }) => key?.startsWith(notebookPrefix) === false || show());
addEventListener('pageshow', event => event.persisted && show());

const tools = requireElement<HTMLDetailsElement>('[data-saved-tools]');
let isWired = false;
/** Until its script has come, each opening asks for it. */
async function wireTools(): Promise<void> {
  if (isWired || !tools.open) return;
  isWired = true;
  const said = requireElement<HTMLElement>('[data-tool="said"]');
  try {
    const parts = await import('./list-tools.ts');
    parts.wireListTools(tools, show);
    said.textContent = '';
  } catch {
    isWired = false;
    said.textContent = 'This part did not load. Once you’re online, close it and open it again.';
  }
}
// The details may have been opened before this script ran.
void wireTools();
tools.addEventListener('toggle', () => void wireTools());
