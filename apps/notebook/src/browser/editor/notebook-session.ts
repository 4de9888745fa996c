import { getNotebook, getOwnNotebook, NotebookApi } from '../api-client.ts';
import type { ApiNotebook, ApiPage, NotebookChange } from '../api-types.ts';
import { forgetNotebook, saveNotebook } from '../saved-notebooks.ts';
import { Autosave, type SaveState } from './autosave.ts';
import { Drafts, forgetDrafts } from './drafts.ts';

export interface EditorPage {
  readonly id: string;
  title: string;
  readonly saver: Autosave;
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
  #moves: Promise<void> = Promise.resolve();
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

  async addPage(markdown: string): Promise<void> {
    const made = await this.#api.addPage({ markdown, after: this.currentId });
    const place = this.pages.findIndex(page => page.id === this.currentId) + 1;
    this.pages.splice(place, 0, this.#track(made));
    this.select(made.id);
  }

  async renamePage(pageId: string, title: string): Promise<void> {
    const page = this.pages.find(other => other.id === pageId)!;
    const changed = await page.saver.withRevision(revision => this.#api.changePage(pageId, { title }, { ifMatch: revision }));
    page.title = changed.title;
    this.#tell();
  }

  /**
   * Shown at once and sent in turn, so that quick presses all count.
   * @param by -1: one place up, 1: one place down
   */
  async movePage(pageId: string, by: -1 | 1): Promise<void> {
    const from = this.pages.findIndex(page => page.id === pageId);
    const to = from + by;
    if (to < 0 || to >= this.pages.length) return;
    [this.pages[from], this.pages[to]] = [this.pages[to]!, this.pages[from]!];
    this.#tell();
    this.#moves = this.#moves.then(() => this.#sendOrder());
    return this.#moves;
  }

  async #sendOrder(): Promise<void> {
    try {
      this.#take(await this.#api.changeNotebook({ pageOrder: this.pages.map(page => page.id) }));
    } catch (problem) {
      const kept = this.notebook.pages.map(page => page.id);
      this.pages.sort((one, other) => kept.indexOf(one.id) - kept.indexOf(other.id));
      this.#moves = Promise.resolve();
      throw problem;
    } finally {
      this.#tell();
    }
  }

  async deletePage(pageId: string): Promise<void> {
    await this.#api.deletePage(pageId);
    const place = this.pages.findIndex(page => page.id === pageId);
    this.pages[place]!.saver.stop();
    this.#drafts.drop(pageId);
    this.pages.splice(place, 1);
    if (this.currentId === pageId) this.currentId = this.pages[Math.min(place, this.pages.length - 1)]!.id;
    this.#tell();
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
