import { NoConnection } from '../api/api-client.ts';
import { DraftDatabase } from './draft-database.ts';
import type { FindOpenTabs } from './drafts.ts';
import { isPageKey } from './page-keys.ts';
import { reasonOf } from './save-problems.ts';
import type { SaveState } from './save-state.ts';
import type { SessionNote } from './session-notes.ts';

/** A page that no answer has confirmed to be on the server. Its text is a draft. */
export interface AddedPage {
  /** Also the key it is sent with. */
  readonly id: string;
  /** When absent, the first heading is the title. */
  readonly title?: string | undefined;
  /** Earlier titles of ours: it may have arrived with one of them. */
  readonly titlesBefore?: readonly string[];
}

/** Changes to the list of pages and to titles that the server did not get yet, as kept on this device. */
export interface KeptChanges {
  readonly added: readonly AddedPage[];
  /** New titles by page id. */
  readonly renamed: Readonly<Record<string, string>>;
  /** The titles that each of them may replace, as for the notebook's (`titlesBefore`). */
  readonly renamedFrom?: Readonly<Record<string, readonly string[]>>;
  /** The last revision seen of each deleted page, by page id. */
  readonly deleted: Readonly<Record<string, number>>;
  /** Ids of all pages in the order shown. */
  readonly order: readonly string[];
  readonly moved: boolean;
  /** The notebook's new title. */
  readonly title?: string | undefined;
  /** The titles that it may replace: the server's when it was written, and earlier ones of ours that may have arrived. */
  readonly titlesBefore?: readonly string[];
}

export const offlineNote: SessionNote = {
  name: 'offline pages',
  text: 'What you changed in the list of pages or in a title is kept on this device. We’ll save it when the server can be reached again.',
};

export const notKeptNote: SessionNote = {
  name: 'storage',
  tone: 'warning',
  text: 'This browser keeps nothing on this device. Do not close the window while you’re offline.',
};

interface OfflineChangesParts {
  readonly slug: string;
  /** This tab's name: each open tab keeps its own changes. */
  readonly tab: string;
  readonly isVisitor: () => boolean;
  /** The pages as they are shown. */
  readonly order: () => readonly string[];
  readonly onChange: () => void;
  readonly onNotKept: () => void;
}

const database = new DraftDatabase();
const keyOf = (slug: string, tab: string) => ({ slug, pageId: '', tab, part: 'changes' }) as const;

/** Changes to the list of pages and to titles that wait for the server. They are kept beside the drafts and as safely, so that none is lost. */
export class OfflineChanges {
  readonly added = new Map<string, AddedPage>();
  readonly renamed = new Map<string, string>();
  readonly renamedFrom = new Map<string, readonly string[]>();
  readonly deleted = new Map<string, number>();
  moved = false;
  title: string | undefined;
  titlesBefore: readonly string[] = [];
  /** Why the changes wait. Undefined until it was tried from here. */
  problem: unknown;
  readonly #parts: OfflineChangesParts;
  #ended = false;

  constructor(parts: OfflineChangesParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.added.size + this.renamed.size + this.deleted.size === 0 && !this.moved && this.title === undefined;
  }

  /** Told in the words for texts. */
  get state(): SaveState {
    const { problem } = this;
    if (this.isEmpty) return { kind: 'saved' };
    if (problem === undefined) return { kind: 'unsaved' };
    return { kind: 'waiting', offline: problem instanceof NoConnection, reason: reasonOf(problem, Date.now()) };
  }

  /** Applies a change to this object and stores the result. */
  note(change: (changes: this) => void): void {
    change(this);
    this.#parts.onChange();
    void this.#write([]).catch(() => this.#parts.onNotKept());
  }

  /**
   * To be noted.
   * @param before the titles of the page that it may replace: the server's, as it was known when this one was written
   */
  rename(pageId: string, title: string, before: readonly string[]): void {
    const mine = this.renamed.get(pageId);
    this.renamedFrom.set(pageId, [...(this.renamedFrom.get(pageId) ?? []), ...before, ...(mine === undefined ? [] : [mine])]);
    this.renamed.set(pageId, title);
  }

  /** Gives a page another title that the server may have without our knowing. */
  renameAdded(id: string, title: string): void {
    const { title: mine, titlesBefore = [] } = this.added.get(id) ?? {};
    this.note(({ added }) =>
      added.set(id, { id, title, titlesBefore: [...titlesBefore, ...(mine === undefined ? [] : [mine])] }),
    );
  }

  forgetRename(pageId: string): void {
    if (!this.renamed.has(pageId)) return;
    this.note(() => {
      this.renamed.delete(pageId);
      this.renamedFrom.delete(pageId);
    });
  }

  /** @param before the server's title, as it was known when this one was written */
  noteTitle(title: string, before: string): void {
    this.note(() => {
      this.titlesBefore = [...this.titlesBefore, this.title ?? before];
      this.title = title;
    });
  }

  forgetTitle(): void {
    this.note(() => {
      this.titlesBefore = [];
      this.title = undefined;
    });
  }

  /** The notebook is deleted: nothing more is kept. */
  end(): void {
    this.#ended = true;
  }

  /** Takes over the changes of closed tabs. Where two changed the same thing, the one read last wins. */
  async adoptLeftBehind(findOpenTabs: FindOpenTabs): Promise<KeptChanges[]> {
    const records = (await database.list(this.#parts.slug).catch(() => [])).filter(({ part }) => part === 'changes');
    const alive = await findOpenTabs(new Set(records.map(({ tab }) => tab)));
    const left = records
      .filter(({ tab }) => tab !== this.#parts.tab && !alive.has(tab))
      .map(({ tab, value }) => ({ tab, changes: readChanges(value) }))
      // The owner's, from the same browser, wait for the owner.
      .filter(({ changes }) => !this.#parts.isVisitor() || (changes !== undefined && isOfVisitor(changes)));
    const found = left.flatMap(({ changes }) => changes ?? []);
    for (const changes of found) {
      for (const page of changes.added) this.added.set(page.id, page);
      for (const [id, title] of Object.entries(changes.renamed)) this.rename(id, title, changes.renamedFrom?.[id] ?? []);
      for (const [id, revision] of Object.entries(changes.deleted)) this.deleted.set(id, revision);
      this.moved ||= changes.moved;
      if (changes.title === undefined) continue;
      this.titlesBefore = [
        ...this.titlesBefore,
        ...(changes.titlesBefore ?? []),
        ...(this.title === undefined ? [] : [this.title]),
      ];
      this.title = changes.title;
    }
    this.#left.push(...left.map(({ tab }) => tab));
    return found;
  }

  /** The tabs whose changes were taken over. Their records are removed in the write that stores those changes here. */
  #left: string[] = [];

  /** Called once the pages are shown as those tabs left them. */
  async storeAdopted(): Promise<void> {
    if (this.#left.length > 0) await this.#write(this.#left.splice(0)).catch(() => {});
  }

  #write(dropped: readonly string[]): Promise<void> {
    if (this.#ended) return Promise.resolve();
    const { slug, tab } = this.#parts;
    const value: KeptChanges | undefined = this.isEmpty
      ? undefined
      : {
          added: [...this.added.values()],
          renamed: Object.fromEntries(this.renamed),
          renamedFrom: Object.fromEntries(this.renamedFrom),
          deleted: Object.fromEntries(this.deleted),
          order: this.#parts.order(),
          moved: this.moved,
          title: this.title,
          titlesBefore: this.titlesBefore,
        };
    return database.write([{ ...keyOf(slug, tab), value }, ...dropped.map(other => keyOf(slug, other))]);
  }
}

/** Visitors may give pages titles, and that is all that is kept for them besides texts. */
const isOfVisitor = ({ added, deleted, moved, title }: KeptChanges): boolean =>
  added.length + Object.keys(deleted).length === 0 && !moved && title === undefined;

const isText = (value: unknown): value is string => typeof value === 'string';
const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.filter(isText) : []);
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Reads stored values as untrusted input, because another version may have written them. */
export function readChanges(stored: unknown): KeptChanges | undefined {
  if (!isRecord(stored)) return undefined;
  const { added, renamed, renamedFrom, deleted, order, moved, title, titlesBefore } = stored;
  if (!Array.isArray(added) || !isRecord(renamed) || !isRecord(deleted) || !Array.isArray(order)) return undefined;
  return {
    added: added.flatMap(page => readAdded(page) ?? []),
    renamed: Object.fromEntries(Object.entries(renamed).filter((entry): entry is [string, string] => isText(entry[1]))),
    renamedFrom: Object.fromEntries(
      Object.entries(isRecord(renamedFrom) ? renamedFrom : {}).map(([id, titles]) => [id, textsIn(titles)]),
    ),
    deleted: Object.fromEntries(Object.entries(deleted).filter((entry): entry is [string, number] => Number.isInteger(entry[1]))),
    order: order.filter(isText),
    moved: moved === true,
    ...(isText(title) ? { title, titlesBefore: textsIn(titlesBefore) } : {}),
  };
}

function readAdded(stored: unknown): AddedPage | undefined {
  if (!isRecord(stored) || !isText(stored.id) || !isPageKey(stored.id)) return undefined;
  const { id, title, titlesBefore } = stored;
  return {
    id,
    ...(isText(title) ? { title } : {}),
    ...(Array.isArray(titlesBefore) ? { titlesBefore: textsIn(titlesBefore) } : {}),
  };
}

/** Sorts items in the wanted order. Items it does not name stay behind the item that preceded them. */
export function inOrder<Item extends { readonly id: string }>(items: readonly Item[], wanted: readonly string[]): Item[] {
  const known = new Map(items.map(item => [item.id, item]));
  const result = wanted.flatMap(id => known.get(id) ?? []);
  const named = new Set(wanted);
  for (const [place, item] of items.entries()) {
    if (named.has(item.id)) continue;
    const before = items[place - 1];
    result.splice(before ? result.indexOf(before) + 1 : 0, 0, item);
  }
  return result;
}
