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
    // It may have got another one since it was sent: now, or before the answer of an earlier try was lost.
    const wanted = changes.added.get(id)?.title ?? made.title;
    page.title = wanted;
    this.#parts.onNamed(id, page);
    changes.note(known => {
      known.added.delete(id);
      if (wanted !== made.title) known.renamed.set(made.id, wanted);
      // Without a page before it, it was put at the end; what had arrived stands where it was put then.
      known.moved ||= !before || wasThere;
    });
    return this.#bringUpToDate(page, made, markdown);
  }

  /** The list of the server may have shown the page already, as one of somebody else's. What was written there is saved first. */
  async #end(twin: EditorPage, page: EditorPage): Promise<void> {
    if (!(await twin.saver.finish())) throw new NoConnection('The same page is not saved yet.');
    twin.saver.stop();
    this.#parts.onTwin(twin, page);
  }

  /** What was written here after the request that arrived. What others changed since then is met as at every save. */
  async #bringUpToDate(page: EditorPage, made: ApiPage, markdown: string): Promise<ApiPage> {
    if (made.markdown === markdown) return made;
    if (made.revision === 1 || markdown !== '') return this.#parts.api().changePage(made.id, { markdown }, { ifMatch: 1 });
    page.saver.receive(made);
    return { ...made, revision: 1 };
  }
}

/**
 * Words that came while a page was made of a text go into it.
 * @returns false where it has others of its own already
 */
export function passOn(from: Autosave, to: Autosave, text: string): boolean {
  if (to.text === text) to.change(from.text);
  return from.text === text || from.text === to.text;
}

/** Roughly what the server will call it. */
function titleIn(markdown: string): string {
  return /^ {0,3}#{1,6}[ \t]+(\S[^\n]{0,199})/m.exec(markdown.slice(0, 2_000))?.[1]?.trim() ?? untitled;
}
