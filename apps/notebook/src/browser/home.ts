import { urls } from '../urls.ts';
import { need } from './created-links.ts';
import { canStore } from './device-storage.ts';
import { forgetNotebook, listSavedNotebooks, type SavedNotebook } from './saved-notebooks.ts';

const list = need<HTMLUListElement>('[data-saved-list]');
const status = need<HTMLElement>('[data-saved-status]');

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

function facts({ savedAt, expiresAt }: SavedNotebook): string {
  const used = savedAt > 0 ? `Last opened ${day.format(savedAt)}` : 'Saved here';
  const until = expiresAt === null ? Number.NaN : Date.parse(expiresAt);
  if (Number.isNaN(until)) return used;
  return `${used}, ${until > Date.now() ? 'expires' : 'expired'} ${day.format(until)}`;
}

/** Texts go in as text nodes only: a title is somebody's words. */
function link(href: string, words: string, className: string, about?: string): HTMLAnchorElement {
  const made = document.createElement('a');
  made.href = href;
  made.textContent = words;
  made.className = className;
  made.dir = 'auto';
  if (about !== undefined) made.setAttribute('aria-label', `${words}: ${about}`);
  return made;
}

function removeButton(notebook: SavedNotebook): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button quiet';
  button.textContent = 'Remove';
  button.setAttribute('aria-label', `Remove from this list: ${notebook.title}`);
  button.addEventListener('click', () => {
    const sure = confirm(
      `Remove “${notebook.title}” from this list?\n\nThe notebook stays. This browser forgets its edit link; without a copy of it you cannot change the notebook again.`,
    );
    if (!sure) return;
    forgetNotebook(notebook.slug);
    show();
    status.textContent = `${notebook.title} was removed from the list.`;
    need<HTMLElement>('#main').focus();
  });
  return button;
}

function item(notebook: SavedNotebook): HTMLLIElement {
  const made = document.createElement('li');
  const name = document.createElement('div');
  name.className = 'saved-name';
  const about = document.createElement('span');
  about.className = 'saved-facts';
  about.textContent = facts(notebook);
  name.append(link(urls.view(notebook.slug), notebook.title, ''), about);
  const actions = document.createElement('div');
  actions.className = 'saved-actions';
  actions.append(link(urls.edit(notebook.slug), 'Edit', 'button quiet', notebook.title), removeButton(notebook));
  made.append(name, actions);
  return made;
}

function show(): void {
  const saved = listSavedNotebooks();
  list.replaceChildren(...saved.map(item));
  list.hidden = saved.length === 0;
  const stores = saved.length > 0 || canStore();
  need<HTMLElement>('[data-saved-empty]').hidden = saved.length > 0 || !stores;
  need<HTMLElement>('[data-saved-blocked]').hidden = stores;
}

show();
// Another tab may create or delete one, and the back button may bring back a page that was shown long ago.
addEventListener('storage', show);
addEventListener('pageshow', event => event.persisted && show());
