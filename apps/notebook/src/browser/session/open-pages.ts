import type { ApiNotebook, ApiPage } from '../../api/types.ts';
import { limits } from '../../limits.ts';
import { ApiProblem } from '../api/api-client.ts';
import type { NotebookApi } from '../api/notebook-api.ts';
import type { Autosave } from './autosave.ts';
import { type DeletedPage, DeletedPages, placeBack } from './deleted-pages.ts';
import type { EditorPage, NewPage } from './editor-page.ts';
import { isOnServer, PageOrder } from './page-order.ts';
import { reconcilePages } from './reconcile.ts';
import { SerialQueue } from './serial-queue.ts';

export interface OpenPagesParts {
  readonly api: () => NotebookApi;
  readonly notebook: () => ApiNotebook;
  /** Looks after the text of a page from now on. */
  readonly watch: (page: ApiPage) => Autosave;
  readonly forgetDraft: (pageId: string) => void;
  readonly onOrder: (notebook: ApiNotebook) => void;
  readonly onSaved: (saved: ApiPage) => void;
  /** A page is gone from the server, with its text. */
  readonly onRoom: () => void;
  readonly onChange: () => void;
  readonly say: (note: { name: string; text: string }) => void;
}

/** The pages of one open notebook in their order, with what is done to them. */
export class OpenPages {
  all: EditorPage[];
  currentId: string;
  /** What a deletion that was put off met, in words; the list says it. */
  deleteFault = '';
  /** Pages that "Undo" still brings back. */
  readonly deleted = new DeletedPages({
    undoMillis: limits.undoDeleteSeconds * 1000,
    carryOut: (page, options) => this.#carryOutDelete(page, options),
    putBack: (deleted, problem) => this.#putBack(deleted, problem),
    onChange: () => this.#parts.onChange(),
  });
  readonly #parts: OpenPagesParts;
  /** Adding, ordering and deleting pages wait for each other: an order names every page. */
  readonly #turns = new SerialQueue();
  readonly #order: PageOrder;

  constructor(pages: readonly ApiPage[], parts: OpenPagesParts) {
    this.#parts = parts;
    this.#order = new PageOrder({
      api: parts.api,
      turns: this.#turns,
      pages: () => this.all,
      deleted: () => this.deleted.all,
      kept: () => parts.notebook().pages.map(page => page.id),
      onSaved: parts.onOrder,
      onChange: parts.onChange,
    });
    this.all = pages.map(page => this.#track(page));
    this.currentId = this.all[0]!.id;
  }

  get current(): EditorPage {
    return this.find(this.currentId) ?? this.all[0]!;
  }

  find(pageId: string): EditorPage | undefined {
    return this.all.find(page => page.id === pageId);
  }

  select(pageId: string): void {
    void this.current.saver.flush();
    this.currentId = pageId;
    this.#parts.onChange();
  }

  /** Changes a page that may not be the open one; a field that shows it follows. */
  changeText(pageId: string, text: string): void {
    this.find(pageId)?.saver.change(text);
    this.#parts.onChange();
  }

  /** After the open page, which is left for it. */
  async add(page: NewPage): Promise<void> {
    const made = await this.#addAfter(page, () => this.currentId);
    this.select(made.id);
  }

  /** At the end of the list; the open page stays open. */
  async append(page: NewPage): Promise<void> {
    await this.#addAfter(page, () => this.all.at(-1)!.id);
    this.#parts.onChange();
  }

  /** A text whose page was deleted elsewhere becomes a page of its own, in its place. */
  async addLost(page: EditorPage): Promise<void> {
    const made = await this.#addAfter({ markdown: page.saver.text }, () => page.id);
    this.currentId = made.id;
    this.drop(page.id);
  }

  #addAfter(page: NewPage, before: () => string): Promise<EditorPage> {
    return this.#turns.take(async () => {
      const after = before();
      const known = this.all.slice(0, this.#placeOf(after) + 1).findLast(isOnServer);
      const made = this.#track(await this.#parts.api().addPage({ ...page, ...(known ? { after: known.id } : {}) }));
      this.all.splice(this.#placeOf(after) + 1, 0, made);
      return made;
    });
  }

  async rename(pageId: string, title: string): Promise<void> {
    const { saver } = this.find(pageId)!;
    const changed = await saver.withRevision(ifMatch => this.#parts.api().changePage(pageId, { title }, { ifMatch }));
    this.#parts.onSaved(changed);
    this.#parts.onChange();
  }

  /** Shown at once and sent in turn; of many quick moves only the last order is sent. */
  move(pageId: string, to: number): Promise<void> {
    return this.#order.move(pageId, to);
  }

  /** Gone from the list at once; the server deletes it when it can no longer be taken back. */
  delete(pageId: string): void {
    const page = this.find(pageId);
    if (!page || this.all.length === 1) return;
    const order = this.#order.all;
    void page.saver.flush();
    this.#takeOut(page);
    this.deleteFault = '';
    this.deleted.add({ page, order });
  }

  undoDelete(pageId: string): void {
    const deleted = this.deleted.takeBack(pageId);
    if (!deleted) return;
    this.#putBack(deleted);
    this.select(pageId);
  }

  /** Takes a page that the server does not have any more out of the list, with its draft. */
  drop(pageId: string): void {
    const page = this.find(pageId);
    if (!page) return;
    this.#forget(page);
    this.#takeOut(page);
    this.#parts.onChange();
  }

  async restoreSnapshot(pageId: string, snapshotId: string): Promise<string> {
    const page = this.find(pageId)!;
    // What is not saved would be in no version afterwards.
    if (!(await page.saver.finish())) throw new Error('The newest text of this page is not saved. Save it first, then restore.');
    const restored = await this.#parts.api().restoreSnapshot(pageId, snapshotId);
    page.title = restored.title;
    page.saver.take(restored);
    return restored.markdown;
  }

  retitle({ id, title }: ApiPage): void {
    const page = this.find(id);
    if (page) page.title = title;
  }

  /** The pages as the server has them now. @returns false when it has none but what is being deleted here: one comes back */
  reconcile(seen: readonly ApiPage[]): boolean {
    const pages = reconcilePages(this.all, seen, {
      beingDeleted: new Set(this.deleted.all.map(({ page }) => page.id)),
      track: page => this.#track(page),
      forget: page => {
        this.#forget(page);
        if (page.id === this.currentId) this.#parts.say({ name: 'deleted', text: `“${page.title}” was deleted elsewhere.` });
      },
    });
    if (pages.length === 0) {
      this.undoDelete(seen[0]!.id);
      return false;
    }
    const at = this.#placeOf(this.currentId);
    this.all = pages;
    if (!this.find(this.currentId)) this.currentId = pages[Math.min(at, pages.length - 1)]!.id;
    return true;
  }

  #track(page: ApiPage): EditorPage {
    return { id: page.id, title: page.title, saver: this.#parts.watch(page) };
  }

  #forget(page: EditorPage): void {
    page.saver.stop();
    this.#parts.forgetDraft(page.id);
    this.#parts.onRoom();
  }

  #takeOut(page: EditorPage): void {
    const place = this.all.indexOf(page);
    this.all.splice(place, 1);
    if (this.currentId === page.id) this.currentId = this.all[Math.min(place, this.all.length - 1)]!.id;
  }

  #putBack(deleted: DeletedPage, problem?: unknown): void {
    const { page } = deleted;
    const ids = this.all.map(other => other.id);
    this.all.splice(placeBack(deleted, ids), 0, page);
    if (problem !== undefined)
      this.deleteFault = `${page.title} was not deleted. ${problem instanceof Error ? problem.message : ''}`.trim();
    this.#parts.onChange();
  }

  async #carryOutDelete(page: EditorPage, options: { keepalive: boolean }): Promise<void> {
    const { id, saver } = page;
    const remove = () =>
      this.#parts
        .api()
        .deletePage(id, { ...options, ifMatch: saver.revision })
        .catch(passOverMissing);
    // A window that goes away has no time to wait for its turn.
    await (options.keepalive ? remove() : this.#turns.take(() => saver.rest().then(remove)).catch(keepChanged(page)));
    this.#forget(page);
  }

  #placeOf(pageId: string): number {
    return this.all.findIndex(page => page.id === pageId);
  }
}

/** What somebody wrote since the page was deleted here must not go with it: it comes back, with their words. */
function keepChanged({ saver }: EditorPage) {
  return (problem: unknown): never => {
    const theirs = problem instanceof ApiProblem ? problem.page : undefined;
    if (!theirs) throw problem;
    saver.receive(theirs);
    throw new Error('It was changed elsewhere in the meantime.');
  };
}

/** Somebody else deleted it first. */
function passOverMissing(problem: unknown): void {
  if (!(problem instanceof ApiProblem && problem.status === 404)) throw problem;
}
