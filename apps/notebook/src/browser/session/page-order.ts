import type { ApiNotebook } from '../../api/types.ts';
import type { NotebookApi } from '../api/notebook-api.ts';
import { type DeletedPage, restoreIndex } from './deleted-pages.ts';
import type { EditorPage } from './editor-page.ts';
import type { SerialQueue } from './serial-queue.ts';

export interface PageOrderParts {
  readonly api: () => NotebookApi;
  readonly queue: SerialQueue;
  /** The pages in the order shown; sorted in place. */
  readonly pages: () => EditorPage[];
  readonly deleted: () => readonly DeletedPage[];
  /** The ids in the order the server last confirmed. */
  readonly kept: () => readonly string[];
  readonly onSaved: (notebook: ApiNotebook) => void;
  /** @returns whether the order waits here for the server */
  readonly postpone: (problem: unknown) => boolean;
  readonly onChange: () => void;
}

/** Moving pages: shown at once and sent in turn; of many quick moves only the last order is sent. */
export class PageOrder {
  readonly #parts: PageOrderParts;
  #toSend: Promise<void> | undefined;

  constructor(parts: PageOrderParts) {
    this.#parts = parts;
  }

  /** Ids in the order shown, including pages deleted a moment ago, which the server still has. */
  get all(): string[] {
    const pages = this.#parts.pages().filter(isOnServer);
    const ids = pages.map(page => page.id);
    for (const deleted of this.#parts.deleted()) ids.splice(restoreIndex(deleted, ids), 0, deleted.page.id);
    return ids;
  }

  async move(pageId: string, to: number): Promise<void> {
    const pages = this.#parts.pages();
    const from = pages.findIndex(page => page.id === pageId);
    if (from === to || to < 0 || to >= pages.length) return this.#toSend;
    pages.splice(to, 0, ...pages.splice(from, 1));
    this.#parts.onChange();
    this.#toSend ??= this.#parts.queue.run(() => {
      this.#toSend = undefined;
      return this.#send();
    });
    return this.#toSend;
  }

  /** Sends the order shown to the server. */
  async save(): Promise<void> {
    this.#parts.onSaved(await this.#parts.api().changeNotebook({ pageOrder: this.all }));
  }

  async #send(): Promise<void> {
    try {
      await this.save();
    } catch (problem) {
      if (this.#parts.postpone(problem)) return;
      const kept = this.#parts.kept();
      const placeOf = (page: EditorPage) => (kept.includes(page.id) ? kept.indexOf(page.id) : kept.length);
      this.#parts.pages().sort((one, other) => placeOf(one) - placeOf(other));
      throw problem;
    } finally {
      this.#parts.onChange();
    }
  }
}

/** False for a page deleted elsewhere that we keep for its unsaved words, and for one added offline that was not sent yet. */
export const isOnServer = (page: EditorPage) => !page.isNew && page.saver.state.kind !== 'lost';
