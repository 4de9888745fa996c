import { ApiProblem } from '../api/api-client.ts';
import type { EditorPage } from './editor-page.ts';

/** A page that was deleted here and can still be restored with "Undo". */
export interface DeletedPage {
  readonly page: EditorPage;
  /** The page ids in order when it was deleted, so that it returns to its neighbors even if others moved or were deleted meanwhile. */
  readonly order: readonly string[];
}

export interface DeletedPagesParts {
  readonly undoMillis: number;
  /** Deletes it on the server. */
  readonly carryOut: (page: EditorPage, options: { keepalive: boolean }) => Promise<void>;
  /** The server did not delete it. */
  readonly putBack: (deleted: DeletedPage, problem: unknown) => void;
  readonly onChange: () => void;
}

/**
 * Deletions wait until the undo time is over. Until then the server keeps everything, earlier versions included, and a window that
 * crashes loses no page. Closing the window carries its deletions out.
 */
export class DeletedPages {
  readonly #parts: DeletedPagesParts;
  readonly #waiting = new Map<string, DeletedPage & { timer: ReturnType<typeof setTimeout> | undefined }>();

  constructor(parts: DeletedPagesParts) {
    this.#parts = parts;
  }

  /** In the order they were deleted. */
  get all(): readonly DeletedPage[] {
    return [...this.#waiting.values()];
  }

  add(deleted: DeletedPage): void {
    this.#waiting.set(deleted.page.key, { ...deleted, timer: this.#startTimer(deleted.page) });
    this.#parts.onChange();
  }

  takeBack(pageId: string): DeletedPage | undefined {
    const deleted = this.#find(pageId);
    if (!deleted) return undefined;
    clearTimeout(deleted.timer);
    this.#waiting.delete(deleted.page.key);
    return deleted;
  }

  /** Stops the undo time while the person is about to press "Undo" (WCAG 2.2.1). */
  hold(pageId: string): void {
    clearTimeout(this.#find(pageId)?.timer);
  }

  release(pageId: string): void {
    const deleted = this.#find(pageId);
    if (!deleted) return;
    clearTimeout(deleted.timer);
    deleted.timer = this.#startTimer(deleted.page);
  }

  /** Deletes now, because the window is closing or the places are needed. */
  async carryOutAll(options = { keepalive: false }): Promise<void> {
    await Promise.all(this.all.map(({ page }) => this.#carryOut(page.id, options)));
  }

  /** Drops all waiting deletions, because the whole notebook is gone. */
  forgetAll(): void {
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  /** Compares the current id: a page that was added offline gets another one when it is saved. */
  #find(pageId: string) {
    return [...this.#waiting.values()].find(({ page }) => page.id === pageId);
  }

  #startTimer(page: EditorPage): ReturnType<typeof setTimeout> {
    return setTimeout(() => void this.#carryOut(page.id, { keepalive: false }), this.#parts.undoMillis);
  }

  async #carryOut(pageId: string, options: { keepalive: boolean }): Promise<void> {
    const deleted = this.takeBack(pageId);
    if (!deleted) return;
    this.#parts.onChange();
    try {
      await this.#parts.carryOut(deleted.page, options);
    } catch (problem) {
      this.#parts.putBack(deleted, problem);
    }
  }
}

/** Where in `present` the page belongs: after the nearest page that stood before it. */
export function restoreIndex({ page, order }: DeletedPage, present: readonly string[]): number {
  const before = order.slice(0, order.indexOf(page.id)).reverse();
  return present.indexOf(before.find(id => present.includes(id)) ?? '') + 1;
}

/** A page that another writer changed after it was deleted here comes back with their words instead of being deleted. */
export function restoreIfChanged({ saver }: EditorPage) {
  return (problem: unknown): never => {
    const theirs = problem instanceof ApiProblem ? problem.page : undefined;
    if (!theirs) throw problem;
    saver.receive(theirs);
    throw new Error('It was changed elsewhere in the meantime.');
  };
}
