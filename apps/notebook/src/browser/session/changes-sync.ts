import type { ApiPage } from '../../api/types.ts';
import { ApiProblem, NoConnection } from '../api/api-client.ts';
import { ignoreMissing } from '../api/ignore-missing.ts';
import { getNotebookUnless, type NotebookApi } from '../api/notebook-api.ts';
import { retryAfterMillis } from '../api/retry-after.ts';
import type { EditorPage } from './editor-page.ts';
import { hasNoTitle } from './name-untitled.ts';
import { titleIn } from './new-pages.ts';
import type { OfflineChanges } from './offline-changes.ts';
import { RetryPauses } from './retry-pauses.ts';
import { isTemporary } from './save-problems.ts';
import type { SerialQueue } from './serial-queue.ts';

export interface ChangesSyncParts {
  readonly changes: OfflineChanges;
  readonly api: () => NotebookApi;
  readonly queue: SerialQueue;
  readonly pages: () => readonly EditorPage[];
  /** Creates on the server a page that was added offline. */
  readonly create: (page: EditorPage, markdown: string) => Promise<ApiPage>;
  /** Whether the page is neither in the list nor waiting for "Undo". */
  readonly isGone: (pageId: string) => boolean;
  readonly saveOrder: () => Promise<void>;
  /** Gives the notebook its title. */
  readonly saveTitle: (title: string) => Promise<void>;
  readonly onSaved: (saved: ApiPage) => void;
  /** The server no longer has it. */
  readonly onDeleted: (pageId: string) => void;
  /** Told in words which change the server refused. */
  readonly onRefused: (words: string) => void;
  /** Reads the notebook from the server. */
  readonly refresh: () => Promise<void>;
}

/** The page keeps the title that it has on the server. */
class KeepsTitle extends Error {
  readonly title: string;
  constructor(title: string) {
    super(title);
    this.title = title;
  }
}

/** A heading is no title that a person gave: it may have been written from here. */
const isGiven = (page: ApiPage): boolean => !hasNoTitle(page) && page.title !== titleIn(page.markdown);

const renamedElsewhere = (theirs: string, title: string): string =>
  `“${theirs}” was renamed elsewhere meanwhile. The title you wrote was “${title}”.`;

/**
 * Gives a page the title that was just written for it. A title that another writer gave it, unseen here, is shown first; the next try
 * replaces it.
 */
export function renamePage(api: NotebookApi, page: EditorPage, title: string): Promise<ApiPage> {
  return page.saver.withRevision((ifMatch, theirs) => {
    if (theirs && isGiven(theirs) && ![page.title, title].includes(theirs.title)) {
      page.title = theirs.title;
      throw new Error(renamedElsewhere(theirs.title, title));
    }
    return api.changePage(page.id, { title }, { ifMatch });
  });
}

/**
 * Carries out on the server what was done to the list of pages and to titles meanwhile. Pages are added, then renamed, deleted and ordered,
 * by the rules that hold online. Changes that meet no network wait. Refused changes are reported and given up, but never lose text.
 */
export class ChangesSync {
  readonly #parts: ChangesSyncParts;
  #running: Promise<void> | undefined;
  #adding: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #pauses = new RetryPauses();

  constructor(parts: ChangesSyncParts) {
    this.#parts = parts;
  }

  /** Runs now, and again by itself as long as something waits. */
  run(): Promise<void> {
    clearTimeout(this.#timer);
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
      this.#scheduleNext();
    });
    return this.#running;
  }

  /**
   * Sends the pages that were added, alone. The list of pages is read only after that: an earlier try may have arrived, and only the answer
   * tells which page of the list it made.
   */
  async add(): Promise<void> {
    await this.#addOnce().catch((problem: unknown) => {
      if (!isTemporary(problem)) throw problem;
    });
  }

  /** Schedules a run for a change that was not tried yet or met no network. */
  runLater(): void {
    this.#timer ??= setTimeout(() => void this.run(), this.#pauses.next(retryAfterMillis(this.#parts.changes.problem)));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #scheduleNext(): void {
    this.#timer = undefined;
    if (this.#parts.changes.isEmpty) this.#pauses.reset();
    else this.runLater();
  }

  async #work(): Promise<void> {
    try {
      await this.#addOnce();
      await this.#rename();
      await this.#delete();
      await this.#move();
      await this.#retitle();
    } catch (problem) {
      if (!isTemporary(problem)) throw problem;
      this.#parts.changes.problem = problem;
    }
  }

  #addOnce(): Promise<void> {
    this.#adding ??= this.#add().finally(() => {
      this.#adding = undefined;
    });
    return this.#adding;
  }

  /** A page with text is added by its own saver, which keeps trying and shows why it could not. */
  async #add(): Promise<void> {
    const { changes, pages, create, isGone } = this.#parts;
    for (const page of pages().filter(({ isNew }) => isNew)) {
      const addEmpty = () => page.saver.withRevision(() => create(page, ''));
      if (page.saver.isUnsaved) await page.saver.finish();
      // The page's own saver may have added it while another page had its turn.
      if (page.isNew && !page.saver.isUnsaved) await this.#try(addEmpty, `“${page.name}” was not added.`);
      const { state } = page.saver;
      if (page.isNew && state.kind === 'waiting') throw new NoConnection(state.reason);
    }
    for (const id of changes.added.keys()) if (isGone(id)) changes.note(({ added }) => added.delete(id));
  }

  async #rename(): Promise<void> {
    const { changes, pages, onSaved, refresh } = this.#parts;
    for (const [id, title] of changes.renamed) {
      const page = pages().find(other => other.id === id);
      if (page?.isNew) continue;
      const saved = page && (await this.#try(() => this.#renamePage(page, title), `“${title}” was not renamed.`));
      // A newer one may wait by now.
      if (changes.renamed.get(id) === title) changes.forgetRename(id);
      if (saved) onSaved(saved);
      else if (page) await refresh();
    }
  }

  /** @returns undefined when the page keeps the title it has */
  async #renamePage({ id, saver }: EditorPage, title: string): Promise<ApiPage | undefined> {
    const { changes, api, onRefused } = this.#parts;
    try {
      return await saver.withRevision(async (ifMatch, seen) => {
        const theirs = seen ?? (await api().getPage(id));
        // As a title of the notebook, it may have arrived long ago, and another writer may have given the page another one since.
        const mayReplace = changes.renamedFrom.get(id)?.includes(theirs.title) || !isGiven(theirs);
        if (theirs.title === title || changes.renamed.get(id) !== title || !mayReplace) throw new KeepsTitle(theirs.title);
        return api().changePage(id, { title }, { ifMatch });
      });
    } catch (problem) {
      if (!(problem instanceof KeepsTitle)) throw problem;
      if (problem.title !== title && title !== '' && changes.renamed.get(id) === title)
        onRefused(renamedElsewhere(problem.title, title));
      return undefined;
    }
  }

  async #delete(): Promise<void> {
    const { changes, api, queue, onDeleted, refresh } = this.#parts;
    for (const [id, ifMatch] of changes.deleted) {
      const remove = () => queue.run(() => api().deletePage(id, { ifMatch }).catch(ignoreMissing)).then(() => true);
      const done = await this.#try(remove, 'A page that you deleted offline is back:');
      changes.note(({ deleted }) => deleted.delete(id));
      if (done) onDeleted(id);
      // A page order must name every page, and this one is back.
      else await refresh();
    }
  }

  async #move(): Promise<void> {
    const { changes, queue, saveOrder } = this.#parts;
    if (!changes.moved) return;
    await this.#try(() => queue.run(saveOrder), 'The order of pages was not kept.');
    changes.note(known => {
      known.moved = false;
    });
  }

  async #retitle(): Promise<void> {
    const { changes, api, saveTitle, refresh, onRefused } = this.#parts;
    const { title } = changes;
    if (title === undefined) return;
    const failed = 'The title was not saved.';
    // It may have arrived long ago, with an answer that nobody heard, and another writer may have given the notebook a new one since.
    const theirs = (await this.#try(() => getNotebookUnless(undefined, api()), failed))?.notebook.title;
    const mayReplace = theirs !== undefined && theirs !== title && changes.titlesBefore.includes(theirs);
    if (mayReplace) await this.#try(() => saveTitle(title), failed);
    // A newer one may wait by now.
    if (changes.title !== title) return;
    changes.forgetTitle();
    if (mayReplace || theirs === undefined) return;
    if (theirs !== title && title !== '')
      onRefused(`The title was changed elsewhere meanwhile. The title you wrote was “${title}”.`);
    await refresh();
  }

  /** @throws problems that may pass; others are reported and give undefined */
  async #try<Result>(work: () => Promise<Result>, words: string): Promise<Result | undefined> {
    try {
      return await work();
    } catch (problem) {
      if (isTemporary(problem)) throw problem;
      const stale = problem instanceof ApiProblem && problem.status === 412;
      const reason = stale ? 'it was changed elsewhere meanwhile.' : problem instanceof Error ? problem.message : '';
      this.#parts.onRefused(`${words} ${reason}`.trim());
      return undefined;
    }
  }
}
