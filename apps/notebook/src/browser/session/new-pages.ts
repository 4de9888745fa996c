import type { ApiPage } from '../../api/types.ts';
import { NoConnection } from '../api/api-client.ts';
import type { NotebookApi } from '../api/notebook-api.ts';
import type { Autosave } from './autosave.ts';
import type { EditorPage, NewPage } from './editor-page.ts';
import type { OfflineChanges } from './offline-changes.ts';
import { isOnServer } from './page-order.ts';
import { requirePageLength } from './save-page.ts';

export interface NewPagesParts {
  readonly changes: OfflineChanges;
  readonly api: () => NotebookApi;
  /** The pages in the order shown. */
  readonly pages: () => readonly EditorPage[];
  readonly track: (page: ApiPage) => EditorPage;
  /** Told that two entries are the same page. The one that was added here stays. */
  readonly onDuplicate: (duplicate: EditorPage, page: EditorPage) => void;
  /** Told when a page got its id from the server. */
  readonly onIdAssigned: (before: string, page: EditorPage) => void;
}

const untitled = 'New page';

/** Pages that were added without a network: created here first, and on the server as soon as it answers. */
export class NewPages {
  readonly #parts: NewPagesParts;

  constructor(parts: NewPagesParts) {
    this.#parts = parts;
  }

  /** @param key the key the page was sent with */
  make(key: string, { title, markdown }: NewPage): EditorPage {
    return this.track(key, title ?? titleIn(markdown));
  }

  track(id: string, title = untitled): EditorPage {
    const page = this.#parts.track({ id, title, markdown: '', revision: 0, updatedAt: '' });
    page.isNew = true;
    return page;
  }

  /** Creates the page on the server. If an earlier try arrived and its answer was lost, the server returns that page as it is now. */
  async create(page: EditorPage, markdown: string): Promise<ApiPage> {
    requirePageLength(markdown);
    const { changes, api, pages } = this.#parts;
    const { id } = page;
    const title = changes.added.get(id)?.title;
    const before = pages().slice(0, pages().indexOf(page)).findLast(isOnServer);
    const input = { markdown, ...(title === undefined ? {} : { title }), ...(before ? { after: before.id } : {}) };
    const { page: made, wasThere } = await api().addPage(input, id);
    const findDuplicate = () => pages().find(other => other.id === made.id);
    for (let duplicate = findDuplicate(); duplicate; duplicate = findDuplicate()) await this.#retire(duplicate, page);
    page.id = made.id;
    page.isNew = false;
    // The title may have changed since it was sent, now or in an earlier try whose answer was lost.
    const { title: wanted = made.title, titlesBefore = [] } = changes.added.get(id) ?? {};
    page.title = wanted;
    this.#parts.onIdAssigned(id, page);
    changes.note(known => {
      known.added.delete(id);
      // If an earlier try arrived, another writer may have given it another title since.
      if (wanted !== made.title) known.rename(made.id, wanted, made.revision === 1 ? [made.title] : titlesBefore);
      // Without `after` the page was put at the end; one that had arrived earlier still stands where it was put then.
      known.moved ||= !before || wasThere;
    });
    return this.#bringUpToDate(page, made, markdown);
  }

  /** The server's list may already have shown the page as another writer's. What was written in that duplicate is saved first. */
  async #retire(duplicate: EditorPage, page: EditorPage): Promise<void> {
    if (!(await duplicate.saver.finish())) throw new NoConnection('The same page is not saved yet.');
    duplicate.saver.stop();
    this.#parts.onDuplicate(duplicate, page);
  }

  /** Saves what was written here after the request that arrived. Others' changes since then are met as at every save. */
  async #bringUpToDate(page: EditorPage, made: ApiPage, markdown: string): Promise<ApiPage> {
    if (made.markdown === markdown) return made;
    if (made.revision === 1 || markdown !== '') return this.#parts.api().changePage(made.id, { markdown }, { ifMatch: 1 });
    page.saver.receive(made);
    return { ...made, revision: 1 };
  }
}

/**
 * Passes on words that were typed while a page was being made from `text`.
 * @returns false when the new page already has other words of its own
 */
export function transferTyping(from: Autosave, to: Autosave, text: string): boolean {
  if (to.text === text) to.change(from.text);
  return from.text === text || from.text === to.text;
}

/** Roughly what the server will call it. */
export function titleIn(markdown: string): string {
  return (
    /^ {0,3}#{1,6}[ \t]+(\S[^\n]{0,199})/m
      .exec(markdown.slice(0, 2_000))?.[1]
      ?.replace(/[\uD800-\uDBFF]$/, '')
      .trim() ?? untitled
  );
}
