import { dropTitle, keepTitle, listTitles, type TypedTitle } from './draft-keys.ts';
import type { NotebookSession } from './notebook-session.ts';
import { saveTitle, titleOf } from './notebook-title.ts';

/** Stands for the notebook where the others have a page's id. */
const ofNotebook = '';

/**
 * Titles that pages should have but do not: still in an open form, left in one, or refused. They are kept on this device like texts, so
 * that a reload or a crash loses none. So is what is typed into the field of the notebook's title.
 */
export class TypedTitles {
  /** The page whose form was open in a window that is closed now, until it is open here. */
  reopen: string | undefined;
  readonly #session: NotebookSession;
  readonly #titles = new Map<string, TypedTitle>();

  static readonly #ofSessions = new WeakMap<NotebookSession, TypedTitles>();

  static of(session: NotebookSession): TypedTitles {
    const known = TypedTitles.#ofSessions.get(session) ?? new TypedTitles(session);
    TypedTitles.#ofSessions.set(session, known);
    return known;
  }

  private constructor(session: NotebookSession) {
    this.#session = session;
  }

  /** Those of pages. */
  get all(): readonly TypedTitle[] {
    return [...this.#titles.values()].filter(({ pageId }) => pageId !== ofNotebook);
  }

  find(pageId: string): string | undefined {
    return this.#titles.get(pageId)?.title;
  }

  keep(page: { readonly id: string; readonly title: string }, title: string): void {
    this.#keep({ pageId: page.id, title, before: page.title, at: Date.now() });
  }

  drop(pageId: string): void {
    if (!this.#titles.delete(pageId)) return;
    dropTitle(this.#session.slug, this.#session.tabs.tab, pageId);
  }

  /** Moves a title to the page's new id. */
  move(from: string, to: string): void {
    const typed = this.#titles.get(from);
    if (!typed) return;
    this.#keep({ ...typed, pageId: to });
    this.drop(from);
  }

  /** Called at every key in the field of the notebook's title. An empty field waits for a title. */
  keepNotebookTitle(title: string): void {
    if (title === '' || title === titleOf(this.#session)) this.drop(ofNotebook);
    else this.#keep({ pageId: ofNotebook, title, before: this.#session.notebook.title, at: Date.now() });
  }

  /** Called when the notebook has this title, or the title waits for the server. */
  forgetNotebookTitle(title: string): void {
    if (this.find(ofNotebook) === title) this.drop(ofNotebook);
  }

  /**
   * Takes up what closed and crashed windows left behind. What open ones keep is taken up when they are closed.
   * @param late true when the person may be writing something else by now
   */
  async adopt({ late = false } = {}): Promise<void> {
    const { slug, tabs, isVisitor } = this.#session;
    // Only the owner may give the notebook a title.
    const others = listTitles(slug).filter(({ tab, pageId }) => tab !== tabs.tab && !(isVisitor && pageId === ofNotebook));
    const open = await tabs.findOpenTabs(new Set(others.map(({ tab }) => tab)));
    for (const tab of open) void tabs.whenClosed(tab).then(() => this.adopt({ late: true }));
    for (const { tab, ...left } of others) {
      // Two windows' titles: the newer is offered first, the other when the notebook is opened again.
      if (open.has(tab) || this.#titles.has(left.pageId)) continue;
      this.#keep(left);
      dropTitle(slug, tab, left.pageId);
      if (left.pageId === ofNotebook) void this.#saveNotebookTitle(left);
      else if (this.#session.pages.find(left.pageId)?.title === left.title) this.drop(left.pageId);
      else if (!late) this.reopen ??= left.pageId;
    }
  }

  #keep(typed: TypedTitle): void {
    this.#titles.set(typed.pageId, typed);
    keepTitle(this.#session.slug, this.#session.tabs.tab, typed);
  }

  /** Saves it unless another writer has given the notebook another one since. */
  async #saveNotebookTitle({ title, before }: TypedTitle): Promise<void> {
    const session = this.#session;
    if (title !== titleOf(session)) {
      if (session.notebook.title === before) await saveTitle(session, title).catch(() => this.#tell(title));
      else this.#tell(title, 'The title was changed elsewhere meanwhile. ');
    }
    this.forgetNotebookTitle(title);
  }

  #tell(title: string, reason = 'The title was not saved. '): void {
    this.#session.notes.show({ name: 'typed title', tone: 'warning', text: `${reason}The title you wrote was “${title}”.` });
  }
}
