import type { ApiPage } from '../../api/types.ts';
import { NoConnection } from '../api/api-client.ts';
import type { NotebookApi } from '../api/notebook-api.ts';
import type { EditorPage, NewPage } from './editor-page.ts';
import type { OfflineChanges } from './offline-changes.ts';
import { isOnServer } from './page-order.ts';
import { requirePageLength } from './save-page.ts';

export interface NewPagesParts {
  readonly changes: OfflineChanges;
  readonly api: () => NotebookApi;
  /** In the order that is shown. */
  readonly pages: () => readonly EditorPage[];
  readonly track: (page: ApiPage) => EditorPage;
  /** Two are the same page: the one that was added here stays. */
  readonly onTwin: (twin: EditorPage, page: EditorPage) => void;
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

  /** @param key what it was sent with */
  make(key: string, { title, markdown }: NewPage): EditorPage {
    return this.track(key, title ?? titleIn(markdown));
  }

  track(id: string, title = untitled): EditorPage {
    const page = this.#parts.track({ id, title, markdown: '', revision: 0, updatedAt: '' });
    page.isNew = true;
    return page;
  }

  /** One that arrived before, and whose answer was lost, is answered as it is now instead of made twice. */
  async create(page: EditorPage, markdown: string): Promise<ApiPage> {
    requirePageLength(markdown);
    const { changes, api, pages } = this.#parts;
    const { id } = page;
    const title = changes.added.get(id)?.title;
    const before = pages().slice(0, pages().indexOf(page)).findLast(isOnServer);
    const input = { markdown, ...(title === undefined ? {} : { title }), ...(before ? { after: before.id } : {}) };
    const { page: made, wasThere } = await api().addPage(input, id);
    const findTwin = () => pages().find(other => other.id === made.id);
    for (let twin = findTwin(); twin; twin = findTwin()) await this.#end(twin, page);
    page.id = made.id;
    page.isNew = false;
    page.title = made.title;
    this.#parts.onNamed(id, page);
    changes.note(known => {
      known.added.delete(id);
      // Without a page before it, it was put at the end; what had arrived stands where it was put then.
      known.moved ||= !before || wasThere;
    });
    return this.#bringUpToDate(page, made, { markdown, ...(title === undefined ? {} : { title }) });
  }

  /** The list of the server may have shown the page already, as one of somebody else's. What was written there is saved first. */
  async #end(twin: EditorPage, page: EditorPage): Promise<void> {
    if (!(await twin.saver.finish())) throw new NoConnection('The same page is not saved yet.');
    twin.saver.stop();
    this.#parts.onTwin(twin, page);
  }

  /** What was changed here after the request that arrived. What others changed since then is met as at every save. */
  async #bringUpToDate(page: EditorPage, made: ApiPage, wanted: { markdown: string; title?: string }): Promise<ApiPage> {
    const change = {
      ...(made.markdown === wanted.markdown ? {} : { markdown: wanted.markdown }),
      ...(wanted.title === undefined || made.title === wanted.title ? {} : { title: wanted.title }),
    };
    if (Object.keys(change).length === 0) return made;
    if (made.revision === 1 || wanted.markdown !== '') return this.#parts.api().changePage(made.id, change, { ifMatch: 1 });
    page.saver.receive(made);
    return { ...made, revision: 1 };
  }
}

/** Roughly what the server will call it. */
function titleIn(markdown: string): string {
  return /^ {0,3}#{1,6}[ \t]+(\S[^\n]{0,199})/m.exec(markdown.slice(0, 2_000))?.[1]?.trim() ?? untitled;
}
