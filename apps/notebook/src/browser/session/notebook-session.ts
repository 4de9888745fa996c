import type { ApiNotebook, ApiPage, NotebookChange } from '../../api/types.ts';
import { NotebookApi } from '../api/notebook-api.ts';
import { requireNotebook } from '../api/own-answers.ts';
import { getNotebook } from '../api/read-notebook.ts';
import { findSavedNotebook, forgetNotebook, saveNotebook } from '../device/saved-notebooks.ts';
import { adoptDrafts, adoptLateDrafts } from './adopt-drafts.ts';
import { Deletion } from './delete-once.ts';
import type { AbandonedDraft } from './draft.ts';
import { dropDraft, type FindOpenTabs, forgetDrafts } from './drafts.ts';
import type { EditorPage } from './editor-page.ts';
import { nameFromText, untitled } from './name-untitled.ts';
import { NotebookSync } from './notebook-sync.ts';
import { describeOfflineCopy, findOfflineCopy, forgetOfflineCopy, keepOfflineCopy, mayBeKept } from './offline-copy.ts';
import { OpenPages } from './open-pages.ts';
import { isOnServer } from './page-order.ts';
import { LinkReplacement, openByLink } from './replace-link.ts';
import type { Merging } from './save-state.ts';
import { SerialQueue } from './serial-queue.ts';
import { SessionNotes } from './session-notes.ts';
import { TabChannel, type TabMessage } from './tab-channel.ts';
import { TextKeeper } from './text-keeper.ts';

const offlineNote = 'offline';
const copyAfterMilliseconds = 200;

/** One open notebook: its pages with their unsaved texts, and everything its owner does to it. Components listen to it. */
export class NotebookSession {
  notebook: ApiNotebook;
  readonly pages: OpenPages;
  /** False when this device did not keep the edit link. */
  keptOnDevice = true;
  /** True when the edit link no longer works: the notebook was deleted or expired for good, or the link was replaced elsewhere. */
  lost = false;
  /** Why it is lost, as a code of errors.ts, if the server told. */
  goneCode: string | undefined;
  /** Texts of earlier tabs that fitted into no page. */
  orphanedTexts: readonly AbandonedDraft[] = [];
  /** True once a text, the list of pages or a setting was changed from here. */
  hasChanged = false;
  readonly notes = new SessionNotes(() => this.#notify());
  #api: NotebookApi;
  #isDeleted = false;
  #keepsCopy = false;
  #copyTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #texts: TextKeeper;
  readonly #channel: TabChannel;
  readonly #sync: NotebookSync;
  readonly #adopted = new SerialQueue();
  /** Changes settings one after another, so that the later of two quick changes wins. */
  readonly #settings = new SerialQueue();
  readonly #newLink: LinkReplacement;
  readonly #deletion = new Deletion();
  readonly #listeners = new Set<() => void>();

  /** @param read the token's notebook, if the server has just sent it @throws ApiProblem when the token owns nothing */
  static async open(editToken: string, read?: ApiNotebook): Promise<NotebookSession> {
    const own = read ? { notebook: read, editToken } : await openByLink(editToken);
    return NotebookSession.#start(own.notebook, own.editToken);
  }

  /** Opens the copy this browser last kept, when the server cannot be reached. Undefined when nothing is kept. */
  static async openOffline(slug: string, editToken: string): Promise<NotebookSession | undefined> {
    const copy = await findOfflineCopy(slug);
    if (!copy) return undefined;
    const session = await NotebookSession.#start(copy.notebook, editToken);
    session.notes.show({ name: offlineNote, text: describeOfflineCopy(copy) });
    return session;
  }

  /**
   * Opens the notebook for a visitor: content only (spec 1 §4 "open editing").
   * @throws ApiProblem when the notebook may not be read
   */
  static async openAsVisitor(slug: string): Promise<NotebookSession> {
    return NotebookSession.#start(requireNotebook(await getNotebook(slug)), undefined);
  }

  static async #start(notebook: ApiNotebook, editToken: string | undefined): Promise<NotebookSession> {
    const session = new NotebookSession(notebook, editToken);
    await session.#adopted.run(() => session.#adoptLeftBehind(adoptDrafts));
    void session.#texts.loadMerging().catch(() => {});
    return session;
  }

  private constructor(notebook: ApiNotebook, editToken: string | undefined) {
    this.notebook = notebook;
    this.#newLink = new LinkReplacement(notebook.slug);
    this.#sync = new NotebookSync({
      api: () => this.#api,
      beforeRead: () => this.pages.sendAdded(),
      onNotebook: seen => this.reconcile(seen),
      onAnswer: () => {
        if (this.lost) this.#recover();
        this.notes.dismiss(offlineNote);
        this.pages.syncChanges();
      },
      onGone: code => this.#lose(code),
    });
    this.#api = this.#apiWith(editToken);
    this.#channel = new TabChannel(notebook.slug, {
      onMessage: message => this.#handleMessage(message),
      onPresence: () => this.#notify(),
      onTabGone: () => this.#adopted.run(() => this.#adoptLeftBehind(adoptLateDrafts)),
    });
    this.#texts = new TextKeeper({
      slug: notebook.slug,
      tab: this.#channel.tab,
      api: () => this.#api,
      titleOf: pageId => this.pages.find(pageId)?.title ?? '',
      create: (pageId, markdown) => this.pages.create(pageId, markdown),
      onChange: () => this.#notify(),
      onSaved: saved => this.#noteSaved(saved),
      onRefused: () => void this.#sync.refreshWholly(),
      onSpaceFreed: () => this.#retryFullSaves(),
      showNote: note => this.notes.show(note),
    });
    this.pages = new OpenPages(notebook.pages, {
      api: () => this.#api,
      notebook: () => this.notebook,
      slug: notebook.slug,
      tab: this.#channel.tab,
      canKeepOffline: () => this.#keepsCopy && !this.isVisitor && mayBeKept(this.notebook, Date.now()),
      saveTitle: title => this.changeNotebook({ title }),
      refresh: () => this.#sync.refreshWholly(),
      dismiss: name => this.notes.dismiss(name),
      watch: (page, idOf) => this.#texts.watch(page, idOf),
      forgetDraft: pageId => this.#texts.forget(pageId),
      moveDraft: (from, to) => this.#texts.move(from, to),
      onOrder: seen => {
        this.notebook = seen;
      },
      onSaved: saved => this.#noteSaved(saved),
      onSpaceFreed: () => this.#retryFullSaves(),
      onChange: () => this.#notify(),
      showNote: note => this.notes.show(note),
    });
    this.keptOnDevice = this.#storeEditLink();
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
    return this.pages.current;
  }

  get api(): NotebookApi {
    return this.#api;
  }

  /** False when this device refused to keep unsaved text. */
  get draftsKept(): boolean {
    return this.#texts.draftsKept;
  }

  /** Absent until its code has been loaded. */
  get merging(): Merging | undefined {
    return this.#texts.merging;
  }

  /** How many other tabs of this browser have this notebook open. */
  get otherTabs(): number {
    return this.#channel.others;
  }

  /** This tab among those of this browser that have this notebook open. */
  get tabs(): Pick<TabChannel, 'tab' | 'findOpenTabs' | 'whenClosed'> {
    return this.#channel;
  }

  get hasUnsaved(): boolean {
    return !this.#isDeleted && this.pages.all.some(({ saver }) => saver.isUnsaved || !saver.awaited.isEmpty);
  }

  /** @returns a function that ends the listening */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changeNotebook(change: NotebookChange, options: { keepalive?: boolean } = {}): Promise<void> {
    return this.#settings.run(async () => {
      this.notebook = await this.#api.changeNotebook(change, options);
      this.#storeEditLink();
      this.#notify();
    });
  }

  /** If the link was replaced but the answer was lost, asking again returns the new link (replace-link.ts). */
  async rotateToken(): Promise<string> {
    const { editToken, editUrl } = await this.#newLink.replace(this.#api);
    this.#api = this.#apiWith(editToken);
    this.keptOnDevice = this.#storeEditLink();
    this.#channel.send({ kind: 'link' });
    this.#notify();
    return editUrl;
  }

  async deleteNotebook(): Promise<void> {
    await this.#deletion.send(
      () => this.#api.deleteNotebook(),
      ({ code }) => this.#lose(code),
    );
    this.#isDeleted = true;
    clearTimeout(this.#copyTimer);
    this.#texts.end();
    this.pages.endChanges();
    this.pages.deleted.forgetAll();
    for (const page of this.pages.all) page.saver.stop();
    this.#channel.send({ kind: 'deleted' });
    forgetNotebook(this.slug);
    await forgetDrafts(this.slug);
  }

  saveAll(options: { explicit?: boolean; keepalive?: boolean } = {}): void {
    if (this.#isDeleted) return;
    for (const page of this.pages.all) if (page.saver.isUnsaved) void page.saver.flush(options);
    if (options.explicit) this.pages.syncChanges();
  }

  /** The window may be gone in a moment: sends what fits and keeps everything on this device. */
  leave(): void {
    this.saveAll({ keepalive: true });
    if (!this.#isDeleted) this.#texts.keepAll();
  }

  /** Keeps a copy of the server's state in this browser from now on, so that the owner can write offline (offline-copy.ts). */
  keepForOffline(): void {
    this.#keepsCopy = true;
    this.#keepCopySoon();
  }

  #keepCopySoon(): void {
    if (!this.#keepsCopy || this.isVisitor || this.#isDeleted || this.lost) return;
    this.#copyTimer ??= setTimeout(() => {
      this.#copyTimer = undefined;
      if (this.#isDeleted || this.lost || findSavedNotebook(this.slug)?.listed === false) return;
      void keepOfflineCopy({ ...this.notebook, pages: this.pages.all.filter(isOnServer).map(asOnServer) });
    }, copyAfterMilliseconds);
  }

  /** Looks for others' changes: at once, or only if the last look was some time ago. */
  async refresh(when: 'now' | 'if old'): Promise<void> {
    if (this.#isDeleted) return;
    await (when === 'now' || this.lost ? this.#sync.refresh() : this.#sync.refreshIfOld());
  }

  /** Merges the server's current notebook: others may have renamed, moved, added, deleted and written. */
  reconcile(seen: ApiNotebook): void {
    // It was unlocked, or put back by the operator.
    if (this.lost) this.#recover();
    this.notes.dismiss(offlineNote);
    if (!this.pages.reconcile(seen.pages)) return;
    this.notebook = seen;
    // A refusal may be all that this window saw of it: others can switch it on and off before the notebook is read.
    for (const { saver } of this.pages.all) saver.noteAllowed(this.#acceptsText(seen));
    this.#storeEditLink();
    this.#notify();
  }

  /** Takes up what closed tabs did to the list of pages, then their texts. */
  async #adoptLeftBehind(adopt: typeof adoptDrafts): Promise<void> {
    if (this.#isDeleted) return;
    const findOpenTabs: FindOpenTabs = tabs => this.#channel.findOpenTabs(tabs);
    await this.pages.adoptLeftBehind(findOpenTabs);
    await adopt(this, this.#texts, findOpenTabs);
    this.#notify();
  }

  #acceptsText({ readOnly, openEditing }: ApiNotebook): boolean {
    return !readOnly && (openEditing || !this.isVisitor);
  }

  /** @param how `handed over` when a page has its text now, `discarded` when nobody wants it */
  async dropOrphanedText(left: AbandonedDraft, how: 'handed over' | 'discarded'): Promise<void> {
    this.orphanedTexts = this.orphanedTexts.filter(other => other !== left);
    await (how === 'discarded' ? dropDraft(this.slug, left) : this.#texts.handOver(left));
    this.#notify();
  }

  /** Retries what the full notebook refused, once another page was shortened or deleted. */
  #retryFullSaves(): void {
    for (const { saver } of this.pages.all) saver.retryIfFull();
  }

  #noteSaved(saved: ApiPage): void {
    this.hasChanged = true;
    this.pages.retitle(saved);
    this.pages.syncChanges();
    this.#channel.send({ kind: 'saved', page: saved });
    void this.#nameUntitled(saved);
  }

  /** Failures are ignored: the next save tries again. */
  async #nameUntitled(saved: ApiPage): Promise<void> {
    if (this.isVisitor || this.notebook.title !== untitled || saved.id !== this.pages.all[0]?.id) return;
    const title = this.pages.changes.title === undefined ? nameFromText(saved) : undefined;
    if (title !== undefined) await this.changeNotebook({ title }).catch(() => {});
  }

  #handleMessage(message: TabMessage): void {
    if (this.#isDeleted) return;
    if (message.kind === 'saved') this.#receiveSaved(message.page);
    else if (message.kind === 'link') this.#takeNewLink();
    else void this.#sync.refresh();
  }

  #receiveSaved(theirs: ApiPage): void {
    const page = this.pages.find(theirs.id);
    this.#sync.noteSaved();
    this.pages.retitle(theirs);
    page?.saver.receive(theirs);
    if (!page) void this.#sync.refresh();
    this.#notify();
  }

  #lose(code: string): void {
    this.goneCode = code;
    if (this.#isDeleted || this.#takeNewLink()) return;
    if (this.#newLink.isAwaited) void this.#finishReplacing();
    else this.#loseForGood();
  }

  async #finishReplacing(): Promise<void> {
    try {
      await this.rotateToken();
      this.#recover();
    } catch {
      // Without an answer we try again: the next refresh finds the link dead and comes back here.
      if (!this.#newLink.isAwaited) this.#loseForGood();
    }
  }

  #loseForGood(): void {
    this.lost = true;
    clearTimeout(this.#copyTimer);
    void forgetOfflineCopy(this.slug);
    for (const page of this.pages.all) page.saver.lose('notebook');
    this.#notify();
  }

  /** Another tab may have replaced the edit link; then the new one is in this browser's list. */
  #takeNewLink(): boolean {
    const found = findSavedNotebook(this.slug)?.editToken;
    if (this.isVisitor || found === undefined || found === this.editToken) return false;
    this.#api = this.#apiWith(found);
    this.#recover();
    return true;
  }

  #recover(): void {
    this.lost = false;
    for (const page of this.pages.all) page.saver.recover();
    void this.#sync.refresh();
  }

  #apiWith(editToken: string | undefined): NotebookApi {
    return new NotebookApi(this.slug, editToken, answer => {
      this.#sync.noteWrite(answer);
      answer.then(
        () => {
          this.hasChanged = true;
          this.#channel.send({ kind: 'changed' });
        },
        () => {},
      );
    });
  }

  #storeEditLink(): boolean {
    const { slug, title, expiresAt } = this.notebook;
    if (this.editToken === undefined) return true;
    const { listed, editToken, replacing } = findSavedNotebook(slug) ?? {};
    const known = { slug, title, expiresAt, editToken: this.editToken, savedAt: Date.now() };
    const isAwaited = replacing !== undefined && editToken === this.editToken;
    return saveNotebook({ ...known, ...(listed === false ? { listed } : {}), ...(isAwaited ? { replacing } : {}) });
  }

  #notify(): void {
    this.#keepCopySoon();
    for (const listener of this.#listeners) listener();
  }
}

/** The page with the server's text; what is unsaved is kept as a draft. */
function asOnServer({ id, title, saver }: EditorPage): ApiPage {
  return { id, title, markdown: saver.savedText, revision: saver.revision, updatedAt: '' };
}
