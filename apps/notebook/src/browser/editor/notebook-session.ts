import { limits } from '../../limits.ts';
import { ApiProblem, getNotebook, getOwnNotebook, NotebookApi } from '../api-client.ts';
import type { ApiNotebook, ApiPage, NotebookChange } from '../api-types.ts';
import { findSavedNotebook, forgetNotebook, saveNotebook } from '../saved-notebooks.ts';
import { adoptDrafts } from './adopt-drafts.ts';
import type { Autosave } from './autosave.ts';
import { type DeletedPage, DeletedPages, placeBack } from './deleted-pages.ts';
import type { LeftDraft } from './draft.ts';
import { forgetDrafts } from './drafts.ts';
import { InTurn } from './in-turn.ts';
import { NotebookSync } from './notebook-sync.ts';
import { reconcilePages } from './reconcile.ts';
import type { Merging } from './save-state.ts';
import { SessionNotes } from './session-notes.ts';
import { TabChannel, type TabMessage } from './tab-channel.ts';
import { TextKeeper } from './text-keeper.ts';

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

/** One open notebook: its pages with their unsaved texts, and everything its owner does to it. Components listen to it. */
export class NotebookSession {
  notebook: ApiNotebook;
  pages: EditorPage[];
  currentId: string;
  /** False when this device did not keep the edit link. */
  keptOnDevice = true;
  /** The link opens nothing any more: deleted, expired for good, or replaced elsewhere. */
  lost = false;
  /** Texts of earlier tabs that found no place in a page. */
  leftTexts: readonly LeftDraft[] = [];
  readonly notes = new SessionNotes(() => this.#tell());
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
  readonly #texts: TextKeeper;
  readonly #channel: TabChannel;
  readonly #sync: NotebookSync;
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
    await adoptDrafts(session, session.#texts, await session.#channel.findAlive());
    void session.#texts.loadMerging().catch(() => {});
    return session;
  }

  private constructor(notebook: ApiNotebook, editToken: string | undefined) {
    this.notebook = notebook;
    this.#sync = new NotebookSync({
      api: () => this.#api,
      onNotebook: seen => this.reconcile(seen),
      onGone: () => this.#lose(),
    });
    this.#api = this.#apiWith(editToken);
    this.#channel = new TabChannel(notebook.slug, {
      onMessage: message => this.#hear(message),
      onPresence: () => this.#tell(),
    });
    this.#texts = new TextKeeper({
      slug: notebook.slug,
      tab: this.#channel.tab,
      api: () => this.#api,
      titleOf: pageId => this.pages.find(page => page.id === pageId)?.title ?? '',
      onChange: () => this.#tell(),
      onSaved: saved => this.#noteSaved(saved),
      onRefused: () => void this.#sync.refresh(),
      say: note => this.notes.say(note),
    });
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

  /** False when this device refused to keep unsaved text. */
  get draftsKept(): boolean {
    return this.#texts.draftsKept;
  }

  /** Absent until its code was fetched. */
  get merging(): Merging | undefined {
    return this.#texts.merging;
  }

  /** How many other tabs of this browser have this notebook open. */
  get otherTabs(): number {
    return this.#channel.others;
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

  /** Changes a page that may not be the open one; a field that shows it follows. */
  changeText(pageId: string, text: string): void {
    this.pages.find(page => page.id === pageId)?.saver.change(text);
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
      const known = this.pages.slice(0, this.pages.findIndex(other => other.id === after) + 1).findLast(isOnServer);
      const made = this.#track(await this.#api.addPage({ ...page, ...(known ? { after: known.id } : {}) }));
      this.pages.splice(this.pages.findIndex(other => other.id === after) + 1, 0, made);
      return made;
    });
  }

  async renamePage(pageId: string, title: string): Promise<void> {
    const page = this.pages.find(other => other.id === pageId)!;
    const changed = await page.saver.withRevision(revision => this.#api.changePage(pageId, { title }, { ifMatch: revision }));
    this.#noteSaved(changed);
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
    const ids = this.pages.filter(isOnServer).map(page => page.id);
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
    this.#forgetPage(page);
  }

  /** Takes a page that the server does not have any more out of the list, with its draft. */
  dropPage(pageId: string): void {
    const place = this.pages.findIndex(page => page.id === pageId);
    if (place < 0) return;
    this.#forgetPage(this.pages[place]!);
    this.pages.splice(place, 1);
    if (this.currentId === pageId) this.currentId = this.pages[Math.min(place, this.pages.length - 1)]!.id;
    this.#tell();
  }

  #forgetPage(page: EditorPage): void {
    page.saver.stop();
    this.#texts.forget(page.id);
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
    this.#api = this.#apiWith(editToken);
    this.keptOnDevice = this.#remember();
    this.#channel.send({ kind: 'link' });
    this.#tell();
    return editUrl;
  }

  async deleteNotebook(): Promise<void> {
    await this.#api.deleteNotebook();
    this.#leaving = true;
    this.#texts.end();
    this.deleted.forgetAll();
    for (const page of this.pages) page.saver.stop();
    this.#channel.send({ kind: 'deleted' });
    forgetNotebook(this.slug);
    await forgetDrafts(this.slug);
  }

  saveAll(options: { explicit?: boolean; keepalive?: boolean } = {}): void {
    if (this.#leaving) return;
    for (const page of this.pages) if (page.saver.isUnsaved) void page.saver.flush(options);
  }

  /** The window may be gone in a moment: what fits is sent, everything is kept. */
  leave(): void {
    this.saveAll({ keepalive: true });
    if (this.#leaving) return;
    this.#texts.keepAll();
  }

  /** Looks for what others changed when the last look is some time ago, or at once. */
  async refresh(when: 'now' | 'if old'): Promise<void> {
    if (this.#leaving) return;
    await (when === 'now' ? this.#sync.refresh() : this.#sync.refreshIfOld());
  }

  /** The notebook as the server has it now: others may have renamed, moved, added, deleted and written. */
  reconcile(seen: ApiNotebook): void {
    const pages = reconcilePages(this.pages, seen.pages, {
      beingDeleted: new Set(this.deleted.all.map(({ page }) => page.id)),
      track: page => this.#track(page),
      forget: page => {
        this.#forgetPage(page);
        if (page.id === this.currentId) this.notes.say({ name: 'deleted', text: `“${page.title}” was deleted elsewhere.` });
      },
    });
    // Every page but those being deleted here was deleted elsewhere: one comes back.
    if (pages.length === 0) {
      this.undoDelete(seen.pages[0]!.id);
      return;
    }
    const at = this.pages.findIndex(page => page.id === this.currentId);
    this.pages = pages;
    this.#take(seen);
    if (!pages.some(page => page.id === this.currentId)) this.currentId = pages[Math.min(at, pages.length - 1)]!.id;
    this.#remember();
    this.#tell();
  }

  /** A text whose page was deleted elsewhere becomes a page of its own, in its place. */
  async addLostPage(page: EditorPage): Promise<void> {
    const made = await this.#addAfter({ markdown: page.saver.text }, () => page.id);
    this.currentId = made.id;
    this.dropPage(page.id);
  }

  async dropLeftText(left: LeftDraft): Promise<void> {
    this.leftTexts = this.leftTexts.filter(other => other !== left);
    await this.#texts.dropLeft(left);
    this.#tell();
  }

  #track(page: ApiPage): EditorPage {
    return { id: page.id, title: page.title, saver: this.#texts.watch(page) };
  }

  #noteSaved(saved: ApiPage): void {
    this.#retitle(saved);
    this.#channel.send({ kind: 'saved', page: saved });
  }

  #hear(message: TabMessage): void {
    if (this.#leaving) return;
    if (message.kind === 'saved') this.#hearSaved(message.page);
    else if (message.kind === 'link') this.#takeNewLink();
    else void this.#sync.refresh();
  }

  #hearSaved(theirs: ApiPage): void {
    const page = this.pages.find(other => other.id === theirs.id);
    this.#retitle(theirs);
    page?.saver.receive(theirs);
    if (!page) void this.#sync.refresh();
    this.#tell();
  }

  #lose(): void {
    if (this.#leaving || this.#takeNewLink()) return;
    this.lost = true;
    for (const page of this.pages) page.saver.lose('notebook');
    this.#tell();
  }

  /** Another tab may have replaced the edit link: the new one is in the list of this browser. */
  #takeNewLink(): boolean {
    const found = findSavedNotebook(this.slug)?.editToken;
    if (this.isVisitor || found === undefined || found === this.editToken) return false;
    this.#api = this.#apiWith(found);
    this.lost = false;
    for (const page of this.pages) page.saver.recover();
    void this.#sync.refresh();
    return true;
  }

  #apiWith(editToken: string | undefined): NotebookApi {
    return new NotebookApi(this.slug, editToken, answer => {
      this.#sync.noteWrite(answer);
      answer.then(
        () => this.#channel.send({ kind: 'changed' }),
        () => {},
      );
    });
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

/** A page that was deleted elsewhere stays in our list while it has unsaved words. */
const isOnServer = (page: EditorPage) => page.saver.state.kind !== 'lost';

/** Somebody else deleted it first. */
function passOverMissing(problem: unknown): void {
  if (!(problem instanceof ApiProblem && problem.status === 404)) throw problem;
}
