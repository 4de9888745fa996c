import type { ApiPage } from '../../api/types.ts';
import { limits } from '../../limits.ts';
import { NoConnection } from '../api/api-client.ts';
import { ignoreMissing } from '../api/ignore-missing.ts';
import { ChangesSync, renamePage } from './changes-sync.ts';
import { type DeletedPage, DeletedPages, restoreIfChanged, restoreIndex } from './deleted-pages.ts';
import type { FindOpenTabs } from './drafts.ts';
import { EditorPage, type NewPage } from './editor-page.ts';
import { NewPages, transferTyping } from './new-pages.ts';
import { inOrder, notKeptNote, OfflineChanges, offlineNote } from './offline-changes.ts';
import type { OpenPagesParts } from './open-pages-parts.ts';
import { PageKeys } from './page-keys.ts';
import { isOnServer, PageOrder } from './page-order.ts';
import { deletedNote, reconcilePages } from './reconcile.ts';
import { isUnanswered } from './save-problems.ts';
import { SerialQueue } from './serial-queue.ts';

/** The pages of one open notebook in order, and everything done to them. */
export class OpenPages {
  all: EditorPage[];
  currentId: string;
  /** Why a postponed deletion failed, in words shown in the list. */
  deleteFault = '';
  /** Pages that "Undo" can still bring back. */
  readonly deleted = new DeletedPages({
    undoMillis: limits.undoDeleteSeconds * 1000,
    carryOut: (page, options) => this.#carryOutDelete(page, options),
    putBack: (deleted, problem) => this.#putBack(deleted, problem),
    onChange: () => this.#parts.onChange(),
  });
  readonly #parts: OpenPagesParts;
  /** Adding, ordering and deleting run one at a time, because a page order must name every page. */
  readonly #queue = new SerialQueue();
  readonly #order: PageOrder;
  readonly changes: OfflineChanges;
  readonly #new: NewPages;
  readonly #sync: ChangesSync;
  /** Pages deleted offline, kept with their text because the server may refuse the deletion. */
  readonly #deletedOffline = new Map<string, EditorPage>();
  /** Keys of the pages being added, so that a repeated try adds a page only once. */
  readonly #keys = new PageKeys();

  constructor(pages: readonly ApiPage[], parts: OpenPagesParts) {
    this.#parts = parts;
    this.#order = new PageOrder({
      api: parts.api,
      queue: this.#queue,
      pages: () => this.all,
      deleted: () => this.deleted.all,
      kept: () => parts.notebook().pages.map(page => page.id),
      onSaved: parts.onOrder,
      postpone: problem => this.#postponeLikeText(problem, changes => (changes.moved = true)),
      onChange: parts.onChange,
    });
    this.all = pages.map(page => this.#track(page));
    this.currentId = this.all[0]!.id;
    this.changes = new OfflineChanges({
      slug: parts.slug,
      tab: parts.tab,
      isVisitor: () => parts.api().editToken === undefined,
      order: () => this.all.map(({ id }) => id),
      onChange: () => this.#showOfflineNote(),
      onNotKept: () => parts.showNote(notKeptNote),
    });
    this.#new = new NewPages({
      changes: this.changes,
      api: parts.api,
      pages: () => this.all,
      track: page => this.#track(page),
      onDuplicate: (duplicate, page) => {
        if (this.currentId === duplicate.id) this.currentId = page.id;
        this.#remove(duplicate);
      },
      onIdAssigned: (before, page) => {
        if (this.currentId === before) this.currentId = page.id;
        parts.moveDraft(before, page.id);
      },
    });
    this.#sync = new ChangesSync({
      ...parts,
      changes: this.changes,
      queue: this.#queue,
      pages: () => this.all,
      create: (page, markdown) => this.#queue.run(() => this.#new.create(page, markdown)),
      isGone: id => !this.find(id) && !this.deleted.all.some(({ page }) => page.id === id),
      saveOrder: () => this.#order.save(),
      onDeleted: pageId => {
        this.#deletedOffline.delete(pageId);
        parts.forgetDraft(pageId);
        parts.onSpaceFreed();
      },
      onRefused: words => parts.showNote({ name: 'refused offline', tone: 'warning', text: words }),
    });
  }

  /** Takes up what closed tabs did to the list of pages while offline. */
  async adoptLeftBehind(findOpenTabs: FindOpenTabs): Promise<void> {
    const left = await this.changes.adoptLeftBehind(findOpenTabs);
    for (const { id, title } of this.changes.added.values()) {
      if (this.find(id)) continue;
      this.all.push(this.#new.track(id, title));
    }
    for (const { order } of left) this.all = inOrder(this.all, order);
    this.#applyChanges();
    await this.changes.storeAdopted();
    this.#showOfflineNote();
    if (!this.changes.isEmpty) this.#sync.runLater();
  }

  isDeletedOffline(pageId: string): boolean {
    return this.changes.deleted.has(pageId);
  }

  /** Carries out waiting changes, because there is a network again. */
  syncChanges(): void {
    if (!this.changes.isEmpty) void this.#sync.run();
  }

  async sendAdded(): Promise<void> {
    if (this.changes.added.size > 0) await this.#sync.add();
  }

  /** Gives up waiting changes, because the notebook is gone. */
  endChanges(): void {
    this.changes.end();
    this.#sync.stop();
  }

  /** The first save of a page that was added offline; undefined for all others. */
  create(pageId: string, markdown: string): Promise<ApiPage> | undefined {
    const page = this.find(pageId);
    return page?.isNew ? this.#queue.run(() => this.#new.create(page, markdown)) : undefined;
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

  /** Changes any page, not only the open one. A field that shows it follows. */
  changeText(pageId: string, text: string): void {
    this.find(pageId)?.saver.change(text);
    this.#parts.onChange();
  }

  /** Adds a page after the open one and opens it. */
  async add(page: NewPage): Promise<void> {
    const key = this.#keys.forRequest(page);
    const made = await this.#addAfter(page, key, () => this.currentId).catch(problem => this.#addOffline(page, key, problem));
    this.#keys.endRequest();
    this.select(made.id);
  }

  /** Adds a page at the end; the open page stays open. The source it is made `of` is added once, however often that is tried. */
  async append(page: NewPage, of: object): Promise<void> {
    await this.#addAfter(page, this.#keys.forSource(of), () => this.all.at(-1)!.id);
    this.#parts.onChange();
  }

  /** Makes a new page, in the same place, of a text whose page was deleted elsewhere. */
  async addLost(page: EditorPage): Promise<void> {
    const { text } = page.saver;
    const made = await this.#addAfter({ markdown: text }, this.#keys.forSource(page, text), () => page.id);
    this.currentId = made.id;
    if (transferTyping(page.saver, made.saver, text)) this.drop(page.id);
  }

  #addAfter(page: NewPage, key: string, before: () => string): Promise<EditorPage> {
    return this.#queue.run(async () => {
      const after = before();
      const known = this.all.slice(0, this.#placeOf(after) + 1).findLast(isOnServer);
      const { page: answer } = await this.#parts.api().addPage({ ...page, ...(known ? { after: known.id } : {}) }, key);
      // An earlier try arrived, and the page has appeared in the list since.
      const seen = this.find(answer.id);
      if (seen) return seen;
      const made = this.#track(answer);
      this.all.splice(this.#placeOf(after) + 1, 0, made);
      return made;
    });
  }

  async rename(pageId: string, title: string): Promise<void> {
    const page = this.find(pageId)!;
    if (page.isNew) {
      page.title = title;
      this.changes.renameAdded(page.id, title);
      return this.#parts.onChange();
    }
    const before = [page.title];
    try {
      const saved = await renamePage(this.#parts.api(), page, title);
      this.changes.forgetRename(page.id);
      this.#parts.onSaved(saved);
    } catch (problem) {
      if (!this.#postponeLikeText(problem, changes => changes.rename(page.id, title, before))) throw problem;
      page.title = title;
    }
    this.#parts.onChange();
  }

  /** Shown at once and sent in turn; of many quick moves only the last order is sent. */
  move(pageId: string, to: number): Promise<void> {
    return this.#order.move(pageId, to);
  }

  /** Removes the page from the list at once. The server deletes it when "Undo" is no longer offered. */
  delete(pageId: string): void {
    const page = this.find(pageId);
    if (!page || this.all.length === 1) return;
    const order = page.isNew ? this.all.map(({ id }) => id) : this.#order.all;
    if (page.isNew) page.saver.stop();
    else void page.saver.flush();
    this.#remove(page);
    this.deleteFault = '';
    this.deleted.add({ page, order });
  }

  undoDelete(pageId: string): void {
    const deleted = this.deleted.takeBack(pageId);
    if (!deleted) return;
    this.#putBack(deleted);
    this.select(pageId);
  }

  /** Removes a page that the server no longer has from the list, with its draft. */
  drop(pageId: string): void {
    const page = this.find(pageId);
    if (!page) return;
    this.#forget(page);
    this.#remove(page);
    this.#parts.onChange();
  }

  async restoreSnapshot(pageId: string, snapshotId: string): Promise<void> {
    const page = this.find(pageId)!;
    // Unsaved text would be in no version afterwards.
    if (!(await page.saver.finish())) throw new Error('The newest text of this page is not saved. Save it first, then restore.');
    const restored = await this.#parts.api().restoreSnapshot(snapshotId);
    page.title = restored.title;
    // Merged rather than taken: the person may have typed while the answer was on its way.
    page.saver.receive(restored);
  }

  /** Shows the title from a save's answer, unless a newer one waits here. */
  retitle({ id, title }: ApiPage): void {
    const page = this.find(id);
    if (page) page.title = this.changes.renamed.get(id) ?? title;
  }

  /**
   * Merges the server's current pages.
   * @returns false when it has only pages that are being deleted here; then one of them comes back
   */
  reconcile(seen: readonly ApiPage[]): boolean {
    this.#keys.endRequest();
    const pages = reconcilePages(this.all, seen, {
      beingDeleted: new Set([...this.deleted.all.map(({ page }) => page.id), ...this.changes.deleted.keys()]),
      track: page => this.#revive(page) ?? this.#track(page),
      forget: page => {
        this.#forget(page);
        if (page.id === this.currentId) this.#parts.showNote(deletedNote(page));
      },
    });
    if (pages.length === 0) {
      this.undoDelete(seen[0]!.id);
      return false;
    }
    const at = this.#placeOf(this.currentId);
    const shown = this.all.map(({ id }) => id);
    this.all = this.changes.moved ? inOrder(pages, shown) : pages;
    this.#applyChanges();
    if (!this.find(this.currentId)) this.currentId = pages[Math.min(at, pages.length - 1)]!.id;
    return true;
  }

  #track(page: ApiPage): EditorPage {
    const saver = this.#parts.watch(page, () => tracked.id);
    const tracked = new EditorPage(page, saver);
    return tracked;
  }

  /** Brings back a page that was deleted here offline but is still on the server. */
  #revive(seen: ApiPage): EditorPage | undefined {
    const page = this.#deletedOffline.get(seen.id);
    if (!page) return undefined;
    this.#deletedOffline.delete(seen.id);
    page.title = seen.title;
    page.saver.receive(seen);
    void page.saver.flush();
    return page;
  }

  /** @returns true if the problem is a missing network and the change now waits for one */
  #postponeIfOffline(problem: unknown, note: (changes: OfflineChanges) => void): boolean {
    return problem instanceof NoConnection && this.#parts.canKeepOffline() && this.#postpone(problem, note);
  }

  /** Titles and the order wait as texts do: for a server that fails too, in every notebook, and a visitor's titles as well. */
  #postponeLikeText(problem: unknown, note: (changes: OfflineChanges) => void): boolean {
    return isUnanswered(problem) && this.#postpone(problem, note);
  }

  #postpone(problem: unknown, note: (changes: OfflineChanges) => void): true {
    this.changes.problem = problem;
    this.changes.note(note);
    this.#sync.runLater();
    return true;
  }

  /** Adds the page here. It may be on the server all the same, if only the answer was lost. */
  #addOffline(page: NewPage, key: string, problem: unknown): EditorPage {
    const made = this.#new.make(key, page);
    this.all.splice(this.#placeOf(this.currentId) + 1, 0, made);
    if (!this.#postponeIfOffline(problem, changes => changes.added.set(made.id, { id: key, title: page.title }))) {
      this.all.splice(this.all.indexOf(made), 1);
      throw problem;
    }
    made.saver.change(page.markdown);
    return made;
  }

  /** Shows waiting changes as done. */
  #applyChanges(): void {
    for (const page of this.all) page.title = this.changes.renamed.get(page.id) ?? page.title;
    const left = this.all.filter(({ id }) => !this.changes.deleted.has(id));
    if (left.length > 0) this.all = left;
    if (!this.find(this.currentId)) this.currentId = this.all[0]!.id;
  }

  #showOfflineNote(): void {
    if (this.changes.isEmpty) this.#parts.dismiss(offlineNote.name);
    else this.#parts.showNote(offlineNote);
  }

  #forget(page: EditorPage): void {
    page.saver.stop();
    this.#parts.forgetDraft(page.id);
    this.#parts.onSpaceFreed();
  }

  #remove(page: EditorPage): void {
    const place = this.all.indexOf(page);
    this.all.splice(place, 1);
    if (this.currentId === page.id) this.currentId = this.all[Math.min(place, this.all.length - 1)]!.id;
  }

  #putBack(deleted: DeletedPage, problem?: unknown): void {
    const { page } = deleted;
    const ids = this.all.map(other => other.id);
    this.all.splice(restoreIndex(deleted, ids), 0, page);
    if (page.isNew) void this.#sync.run();
    if (problem !== undefined)
      this.deleteFault = `${page.name} was not deleted. ${problem instanceof Error ? problem.message : ''}`.trim();
    this.#parts.onChange();
  }

  async #carryOutDelete(page: EditorPage, options: { keepalive: boolean }): Promise<void> {
    const { id, saver } = page;
    if (page.isNew) {
      this.changes.note(({ added }) => added.delete(id));
      return this.#forget(page);
    }
    const remove = () =>
      this.#parts
        .api()
        .deletePage(id, { ...options, ifMatch: saver.revision })
        .catch(ignoreMissing);
    const wait = (problem: unknown) => this.#postponeIfOffline(problem, ({ deleted }) => deleted.set(id, saver.revision));
    // A window that is closing has no time to wait for its turn, or for a network that is not there.
    if (options.keepalive && this.#isOffline && wait(new NoConnection(undefined))) return;
    try {
      await (options.keepalive ? remove() : this.#queue.run(() => saver.whenIdle().then(remove)).catch(restoreIfChanged(page)));
    } catch (problem) {
      if (!wait(problem)) throw problem;
      // Its draft stays until the server has deleted the page.
      this.#deletedOffline.set(id, page);
      return saver.stop();
    }
    this.#forget(page);
  }

  get #isOffline(): boolean {
    if (!navigator.onLine || !this.changes.isEmpty) return true;
    return this.all.some(({ saver: { state } }) => state.kind === 'waiting' && state.offline);
  }

  #placeOf(pageId: string): number {
    return this.all.findIndex(page => page.id === pageId);
  }
}
