import type { ApiPage } from '../../api/types.ts';
import type { NotebookApi } from '../api/notebook-api.ts';
import { getOwnNotebook } from '../api/read-notebook.ts';
import type { EditorPage, NewPage } from './editor-page.ts';
import { OfflineChanges } from './offline-changes.ts';
import { isOnServer } from './page-order.ts';
import { requirePageLength } from './save-page.ts';

export interface NewPagesParts {
  readonly changes: OfflineChanges;
  readonly api: () => NotebookApi;
  /** In the order that is shown. */
  readonly pages: () => readonly EditorPage[];
  /** All that are known here, deleted ones too. */
  readonly isKnown: (pageId: string) => boolean;
  readonly track: (page: ApiPage) => EditorPage;
  /** The page has another id from now on. */
  readonly onNamed: (before: string, page: EditorPage) => void;
}

const untitled = 'New page';

/** Pages that were added without a network: made here, and on the server as soon as it answers. */
export class NewPages {
  readonly #parts: NewPagesParts;

  constructor(parts: NewPagesParts) {
    this.#parts = parts;
  }

  make({ title, markdown }: NewPage): EditorPage {
    return this.track(OfflineChanges.newId(), title ?? titleIn(markdown));
  }

  track(id: string, title = untitled): EditorPage {
    const page = this.#parts.track({ id, title, markdown: '', revision: 0, updatedAt: '' });
    page.isNew = true;
    return page;
  }

  /** One that was sent before, and whose answer was lost, is found instead of made twice. */
  async create(page: EditorPage, markdown: string): Promise<ApiPage> {
    requirePageLength(markdown);
    const { changes, api, pages } = this.#parts;
    const { id } = page;
    const { title, sent = [] } = changes.added.get(id) ?? {};
    // An empty page more is no harm; one of somebody else's is not ours.
    const unanswered = sent.filter(text => text !== '');
    const arrived = unanswered.length === 0 ? undefined : await this.#findArrived(unanswered);
    const before = pages().slice(0, pages().indexOf(page)).findLast(isOnServer);
    const tried = [...new Set([...sent.slice(-3), markdown])];
    changes.note(({ added }) => added.set(id, { id, title, sent: tried }));
    const input = { markdown, ...(title === undefined ? {} : { title }), ...(before ? { after: before.id } : {}) };
    const made = arrived ?? (await api().addPage(input));
    page.id = made.id;
    page.isNew = false;
    page.title = made.title;
    this.#parts.onNamed(id, page);
    changes.note(known => {
      known.added.delete(id);
      // Without a page before it, it was put at the end.
      known.moved ||= !before;
    });
    if (made.markdown === markdown) return made;
    return api().changePage(made.id, { markdown }, { ifMatch: made.revision });
  }

  async #findArrived(sent: readonly string[]): Promise<ApiPage | undefined> {
    const { pages } = await getOwnNotebook(this.#parts.api().editToken!);
    return pages.find(({ id, markdown }) => !this.#parts.isKnown(id) && sent.includes(markdown));
  }
}

/** Roughly what the server will call it. */
function titleIn(markdown: string): string {
  return /^ {0,3}#{1,6}[ \t]+(\S[^\n]{0,199})/m.exec(markdown.slice(0, 2_000))?.[1]?.trim() ?? untitled;
}
