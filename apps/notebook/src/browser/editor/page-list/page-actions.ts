import { limits } from '../../../limits.ts';
import { nameOf as nameOfKey } from '../../field/formatting/key-names.ts';
import type { EditorPage } from '../../session/editor-page.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { sentenceOf } from '../../ui/use-session.ts';

/** Actions on a page in the list. Each announces its result, for people who do not see the list. */
export class PageListActions {
  readonly #session: NotebookSession;
  readonly #announce: (words: string, bad?: boolean) => void;
  readonly #list: () => HTMLElement | null;

  constructor(session: NotebookSession, announce: (words: string, bad?: boolean) => void, list: () => HTMLElement | null) {
    this.#session = session;
    this.#announce = announce;
    this.#list = list;
  }

  /** @returns whether the action succeeded */
  async attempt(action: () => Promise<void>, done: string | (() => string)): Promise<boolean> {
    try {
      await action();
      this.#announce(typeof done === 'string' ? done : done());
      return true;
    } catch (problem) {
      this.#announce(sentenceOf(problem), true);
      return false;
    }
  }

  async move(pageId: string, to: number): Promise<void> {
    const pages = this.#session.pages.all;
    const page = pages.find(other => other.id === pageId);
    if (!page || to < 0 || to >= pages.length || pages[to] === page) return;
    this.#keepFocus();
    await this.attempt(() => this.#session.pages.move(pageId, to), `${page.name} is now ${to + 1} of ${pages.length}.`);
  }

  /** WebKit drops the focus when its row is moved. */
  #keepFocus(): void {
    const held = document.activeElement;
    if (!(held instanceof HTMLElement) || !this.#list()?.contains(held)) return;
    requestAnimationFrame(() => document.activeElement === document.body && held.focus());
  }

  rename(page: EditorPage, title: string): Promise<boolean> {
    return this.attempt(
      () => this.#session.pages.rename(page.id, title),
      () => `Renamed to ${page.name}.`,
    );
  }

  async duplicate(page: EditorPage): Promise<void> {
    const copy = { title: copyTitle(page.title), markdown: page.saver.text };
    const { pages } = this.#session;
    pages.select(page.id);
    await this.attempt(() => pages.add(copy), `${page.name} was duplicated.`);
    // The copy is open now, and the pressed button is gone with the actions of the other row.
    this.#refocus(pages.all.indexOf(pages.current));
  }

  remove(page: EditorPage): void {
    if (this.#session.pages.all.length === 1) return;
    this.#session.pages.delete(page.id);
    this.#announce(`${page.name} was deleted. ${nameOfKey({ key: 'z' })} in this list or the Undo button brings it back.`);
  }

  undoDelete(page: EditorPage): void {
    this.#session.pages.undoDelete(page.id);
    this.#announce(`${page.name} is back.`);
    this.focus(page);
  }

  /** Waits for the next frame, because the row may not be rendered yet. */
  focus(page: EditorPage): void {
    requestAnimationFrame(() => this.focusPlace(this.#session.pages.all.indexOf(page)));
  }

  /** Focuses the next row when a page's row is removed. After a deletion made here "Undo" has the focus instead (deleted-notices.tsx). */
  focusNeighbor(page: EditorPage, row: HTMLElement): void {
    const place = [...row.parentElement!.children].indexOf(row);
    if (this.#session.pages.deleted.all.some(other => other.page === page)) return;
    this.#refocus(place);
  }

  /** Focuses a row in the next frame if nothing has the focus then. */
  #refocus(place: number): void {
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) this.focusPlace(Math.min(place, this.#session.pages.all.length - 1));
    });
  }

  focusPlace(place: number): void {
    this.#list()?.querySelectorAll<HTMLElement>('.page-pick')[place]?.focus();
  }
}

function copyTitle(title: string): string {
  const ending = ' (copy)';
  return [...title].slice(0, limits.maxTitleChars - ending.length).join('') + ending;
}
