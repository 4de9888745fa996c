import { limits } from '../../limits.ts';
import { ApiProblem, getNotebook, getOwnNotebook, NotebookApi } from '../api-client.ts';
import type { ApiNotebook, ApiPage, NotebookChange } from '../api-types.ts';
import { forgetNotebook, saveNotebook } from '../saved-notebooks.ts';
import { Autosave, type SaveState } from './autosave.ts';
import { type DeletedPage, DeletedPages, placeBack } from './deleted-pages.ts';
import { Drafts, forgetDrafts } from './drafts.ts';
import { InTurn } from './in-turn.ts';

export interface EditorPage {
  readonly id: string;
  title: string;
  readonly saver: Autosave;
}

export interface NewPage {
  /** Absent: the first heading, also when that changes. */
  readonly title?: string;
  readonly markdown: string;
}

/** Largest body that browsers let outlive its page. */
const keepaliveBytes = 60_000;

/** One open notebook: its pages with their unsaved texts, and everything its owner does to it. Components listen to it. */
export class NotebookSession {
  notebook: ApiNotebook;
  pages: EditorPage[];
  currentId: string;
  /** False when this device kept neither token nor drafts. */
  keptOnDevice = true;
  #api: NotebookApi;
  #leaving = false;
  /** Pages that "Undo" still brings back. */
  readonly deleted = new DeletedPages({
    undoMillis: limits.undoDeleteSeconds * 1000,
    carryOut: (page, options) => this.#carryOutDelete(page, options),
    putBack: (deleted, problem) => this.#putBack(deleted, problem),
    onChange: () => this.#tell(),
  });
  /** What a deletion that was put off met, in words; the list says it. */
  deleteFault = '';
  /** Adding, ordering and deleting pages wait for each other: an order names every page. */
  readonly #turns = new InTurn();
  #orderToSend: Promise<void> | undefined;
  readonly #drafts: Drafts;
  readonly #listeners = new Set<() => void>();

  /** @throws ApiProblem when the token owns nothing */
  static async open(editToken: string): Promise<NotebookSession> {
    return NotebookSession.#start(await getOwnNotebook(editToken), editToken);
  }

  /**
   * For a visitor: content only (spec 1 §4 "open editing").
   * @throws ApiProblem when the notebook may not be read
   */
  static async openAsVisitor(slug: string): Promise<NotebookSession> {
    return NotebookSession.#start(await getNotebook(slug), undefined);
  }

  static async #start(notebook: ApiNotebook, editToken: string | undefined): Promise<NotebookSession> {
    const session = new NotebookSession(notebook, editToken);
    await session.#adoptDrafts();
    return session;
  }

  private constructor(notebook: ApiNotebook, editToken: string | undefined) {
    this.notebook = notebook;
    this.#api = new NotebookApi(notebook.slug, editToken);
    this.#drafts = new Drafts(notebook.slug);
    this.pages = notebook.pages.map(page => this.#track(page));
    this.currentId = this.pages[0]!.id;
    this.keptOnDevice = this.#remember();
  }

  get slug(): string {
    return this.notebook.slug;
  }

  /** Absent for a visitor. */
  get editToken(): string | undefined {
    return this.#api.editToken;
  }

  get isVisitor(): boolean {
    return this.#api.editToken === undefined;
  }

  get current(): EditorPage {
    return this.pages.find(page => page.id === this.currentId) ?? this.pages[0]!;
  }

  get api(): NotebookApi {
    return this.#api;
  }

  get hasUnsaved(): boolean {
    return !this.#leaving && this.pages.some(page => page.saver.isUnsaved);
  }

  /** @returns a function that ends the listening */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  select(pageId: string): void {
    void this.current.saver.flush();
    this.currentId = pageId;
    this.#tell();
  }

  /** After the open page, which is left for it. */
  async addPage(page: NewPage): Promise<void> {
    const made = await this.#addAfter(page, () => this.currentId);
    this.select(made.id);
  }

  /** At the end of the list; the open page stays open. */
  async appendPage(page: NewPage): Promise<void> {
    await this.#addAfter(page, () => this.pages.at(-1)!.id);
    this.#tell();
  }

  #addAfter(page: NewPage, before: () => string): Promise<EditorPage> {
    return this.#turns.take(async () => {
      const after = before();
      const made = this.#track(await this.#api.addPage({ ...page, after }));
      this.pages.splice(this.pages.findIndex(other => other.id === after) + 1, 0, made);
      return made;
    });
  }

  async renamePage(pageId: string, title: string): Promise<void> {
    const page = this.pages.find(other => other.id === pageId)!;
    const changed = await page.saver.withRevision(revision => this.#api.changePage(pageId, { title }, { ifMatch: revision }));
    page.title = changed.title;
    this.#tell();
  }

  /** Shown at once and sent in turn; of many quick moves only the last order is sent. */
  async movePage(pageId: string, to: number): Promise<void> {
    const from = this.pages.findIndex(page => page.id === pageId);
    if (from === to || to < 0 || to >= this.pages.length) return this.#orderToSend;
    this.pages.splice(to, 0, ...this.pages.splice(from, 1));
    this.#tell();
    this.#orderToSend ??= this.#turns.take(() => {
      this.#orderToSend = undefined;
      return this.#sendOrder();
    });
    return this.#orderToSend;
  }

  async #sendOrder(): Promise<void> {
    try {
      this.#take(await this.#api.changeNotebook({ pageOrder: this.#fullOrder() }));
    } catch (problem) {
      const kept = this.notebook.pages.map(page => page.id);
      const placeOf = (page: EditorPage) => (kept.includes(page.id) ? kept.indexOf(page.id) : kept.length);
      this.pages.sort((one, other) => placeOf(one) - placeOf(other));
      throw problem;
    } finally {
      this.#tell();
    }
  }

  /** The server still has what was deleted a moment ago. */
  #fullOrder(): string[] {
    const ids = this.pages.map(page => page.id);
    for (const deleted of this.deleted.all) ids.splice(placeBack(deleted, ids), 0, deleted.page.id);
    return ids;
  }

  /** Gone from the list at once; the server deletes it when it can no longer be taken back. */
  deletePage(pageId: string): void {
    const place = this.pages.findIndex(page => page.id === pageId);
    const page = this.pages[place];
    if (!page || this.pages.length === 1) return;
    const order = this.#fullOrder();
    void page.saver.flush();
    this.pages.splice(place, 1);
    if (this.currentId === pageId) this.currentId = this.pages[Math.min(place, this.pages.length - 1)]!.id;
    this.deleteFault = '';
    this.deleted.add({ page, order });
  }

  undoDelete(pageId: string): void {
    const deleted = this.deleted.takeBack(pageId);
    if (!deleted) return;
    this.#putBack(deleted);
    this.select(pageId);
  }

  #putBack(deleted: DeletedPage, problem?: unknown): void {
    const { page } = deleted;
    const ids = this.pages.map(other => other.id);
    this.pages.splice(placeBack(deleted, ids), 0, page);
    if (problem !== undefined)
      this.deleteFault = `${page.title} was not deleted. ${problem instanceof Error ? problem.message : ''}`.trim();
    this.#tell();
  }

  async #carryOutDelete(page: EditorPage, options: { keepalive: boolean }): Promise<void> {
    const remove = () => this.#api.deletePage(page.id, options).catch(passOverMissing);
    // A window that goes away has no time to wait for its turn.
    await (options.keepalive ? remove() : this.#turns.take(remove));
    page.saver.stop();
    this.#drafts.drop(page.id);
  }

  async changeNotebook(change: NotebookChange): Promise<void> {
    this.#take(await this.#api.changeNotebook(change));
    this.#remember();
    this.#tell();
  }

  async restoreSnapshot(pageId: string, snapshotId: string): Promise<string> {
    const page = this.pages.find(other => other.id === pageId)!;
    await page.saver.flush();
    const restored = await this.#api.restoreSnapshot(pageId, snapshotId);
    page.title = restored.title;
    page.saver.take(restored);
    return restored.markdown;
  }

  async rotateToken(): Promise<string> {
    const { editToken, editUrl } = await this.#api.rotateToken();
    this.#api = new NotebookApi(this.slug, editToken);
    this.keptOnDevice = this.#remember();
    this.#tell();
    return editUrl;
  }

  async deleteNotebook(): Promise<void> {
    await this.#api.deleteNotebook();
    this.#leaving = true;
    this.deleted.forgetAll();
    for (const page of this.pages) page.saver.stop();
    forgetNotebook(this.slug);
    forgetDrafts(this.slug);
  }

  saveAll(options: { explicit?: boolean; keepalive?: boolean } = {}): void {
    if (this.#leaving) return;
    for (const page of this.pages) if (page.saver.isUnsaved) void page.saver.flush(options);
  }

  #track(page: ApiPage): EditorPage {
    const tracked: EditorPage = { id: page.id, title: page.title, saver: this.#saverOf(page) };
    return tracked;
  }

  #saverOf(page: ApiPage): Autosave {
    return new Autosave(page, {
      now: Date.now,
      onState: (state: SaveState) => state && this.#tell(),
      keepDraft: draft => this.#keepDraft(page.id, draft),
      send: async ({ markdown, baseRevision, autosave, keepalive }) => {
        const options = { ifMatch: baseRevision, keepalive: keepalive && markdown.length * 3 < keepaliveBytes };
        const saved = await this.#api.changePage(page.id, autosave ? { markdown, autosave } : { markdown }, options);
        this.#retitle(saved);
        return saved;
      },
    });
  }

  #keepDraft(pageId: string, draft: { markdown: string; baseRevision: number } | undefined): void {
    if (this.#leaving) return;
    if (draft) this.keptOnDevice = this.#drafts.keep({ pageId, ...draft, changedAt: Date.now() });
    else this.#drafts.drop(pageId);
  }

  async #adoptDrafts(): Promise<void> {
    for (const draft of await this.#drafts.adopt()) {
      const theirs = this.notebook.pages.find(page => page.id === draft.pageId);
      const mine = this.pages.find(page => page.id === draft.pageId);
      if (theirs && mine) mine.saver.adopt(draft, theirs);
      if (mine?.saver.isUnsaved) this.currentId = mine.id;
    }
  }

  #retitle(saved: ApiPage): void {
    const page = this.pages.find(other => other.id === saved.id);
    if (page) page.title = saved.title;
  }

  #take(notebook: ApiNotebook): void {
    this.notebook = notebook;
  }

  #remember(): boolean {
    const { slug, title, expiresAt } = this.notebook;
    if (this.editToken === undefined) return true;
    return saveNotebook({ slug, title, expiresAt, editToken: this.editToken, savedAt: Date.now() });
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Somebody else deleted it first. */
function passOverMissing(problem: unknown): void {
  if (!(problem instanceof ApiProblem && problem.status === 404)) throw problem;
}
