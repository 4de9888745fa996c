import type { ApiNotebook } from '../../api/types.ts';
import type { NotebookApi } from '../api/notebook-api.ts';
import { type DeletedPage, placeBack } from './deleted-pages.ts';
import type { EditorPage } from './editor-page.ts';
import type { SerialQueue } from './serial-queue.ts';

export interface PageOrderParts {
  readonly api: () => NotebookApi;
  readonly turns: SerialQueue;
  /** In the order that is shown; sorted in place. */
  readonly pages: () => EditorPage[];
  readonly deleted: () => readonly DeletedPage[];
  /** The ids in the order that the server confirmed last. */
  readonly kept: () => readonly string[];
  readonly onSaved: (notebook: ApiNotebook) => void;
  /** @returns whether the order is kept here until there is a network */
  readonly keepsOffline: (problem: unknown) => boolean;
  readonly onChange: () => void;
}

/** Moving pages: shown at once and sent in turn; of many quick moves only the last order is sent. */
export class PageOrder {
  readonly #parts: PageOrderParts;
  #toSend: Promise<void> | undefined;

  constructor(parts: PageOrderParts) {
    this.#parts = parts;
  }

  /** The server still has what was deleted a moment ago. */
  get all(): string[] {
    const pages = this.#parts.pages().filter(isOnServer);
    const ids = pages.map(page => page.id);
    for (const deleted of this.#parts.deleted()) ids.splice(placeBack(deleted, ids), 0, deleted.page.id);
    return ids;
  }

  async move(pageId: string, to: number): Promise<void> {
    const pages = this.#parts.pages();
    const from = pages.findIndex(page => page.id === pageId);
    if (from === to || to < 0 || to >= pages.length) return this.#toSend;
    pages.splice(to, 0, ...pages.splice(from, 1));
    this.#parts.onChange();
    this.#toSend ??= this.#parts.turns.take(() => {
      this.#toSend = undefined;
      return this.#send();
    });
    return this.#toSend;
  }

  /** The order that is shown, on the server now. */
  async save(): Promise<void> {
    this.#parts.onSaved(await this.#parts.api().changeNotebook({ pageOrder: this.all }));
  }

  async #send(): Promise<void> {
    try {
      await this.save();
    } catch (problem) {
      if (this.#parts.keepsOffline(problem)) return;
      const kept = this.#parts.kept();
      const placeOf = (page: EditorPage) => (kept.includes(page.id) ? kept.indexOf(page.id) : kept.length);
      this.#parts.pages().sort((one, other) => placeOf(one) - placeOf(other));
      throw problem;
    } finally {
      this.#parts.onChange();
    }
  }
}

/** A page that was deleted elsewhere stays in our list while it has unsaved words; one that was added offline is not there yet. */
export const isOnServer = (page: EditorPage) => !page.isNew && page.saver.state.kind !== 'lost';
