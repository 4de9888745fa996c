import { DraftDatabase } from './draft-database.ts';
import type { FindAlive } from './drafts.ts';
import { isPageKey } from './page-keys.ts';

/** A page of which no answer said that the server has it. Its text is a draft. */
export interface AddedPage {
  /** Also the key that it is sent with. */
  readonly id: string;
  /** Absent: its first heading. */
  readonly title?: string | undefined;
}

/** What became of the list of pages without a network, as it is kept on this device. */
export interface KeptChanges {
  readonly added: readonly AddedPage[];
  /** Titles by page. */
  readonly renamed: Readonly<Record<string, string>>;
  /** The revisions that were seen, by page. */
  readonly deleted: Readonly<Record<string, number>>;
  /** All pages as they were shown, when any was added or moved. */
  readonly order: readonly string[];
  readonly moved: boolean;
}

interface OfflineChangesParts {
  readonly slug: string;
  /** This tab's name: each open tab keeps its own changes. */
  readonly tab: string;
  /** The pages as they are shown. */
  readonly order: () => readonly string[];
  readonly onChange: () => void;
  readonly onNotKept: () => void;
}

const database = new DraftDatabase();
const keyOf = (slug: string, tab: string) => ({ slug, pageId: '', tab, part: 'changes' }) as const;

/** Changes of the list of pages that wait for a network, beside the drafts and kept as they are: what was done here is not lost. */
export class OfflineChanges {
  readonly added = new Map<string, AddedPage>();
  readonly renamed = new Map<string, string>();
  readonly deleted = new Map<string, number>();
  moved = false;
  readonly #parts: OfflineChangesParts;
  #ended = false;

  constructor(parts: OfflineChangesParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.added.size + this.renamed.size + this.deleted.size === 0 && !this.moved;
  }

  /** Changes these and keeps them. */
  note(change: (changes: this) => void): void {
    change(this);
    this.#parts.onChange();
    void this.#write([]).catch(() => this.#parts.onNotKept());
  }

  /** The notebook is deleted: nothing more is kept. */
  end(): void {
    this.#ended = true;
  }

  /** Takes over what tabs left that are closed; of two that changed the same, what is read last counts. */
  async takeLeft(findAlive: FindAlive): Promise<KeptChanges[]> {
    const records = (await database.list(this.#parts.slug).catch(() => [])).filter(({ part }) => part === 'changes');
    const alive = await findAlive(new Set(records.map(({ tab }) => tab)));
    const left = records.filter(({ tab }) => tab !== this.#parts.tab && !alive.has(tab));
    const found = left.flatMap(({ value }) => readChanges(value) ?? []);
    for (const changes of found) {
      for (const page of changes.added) this.added.set(page.id, page);
      for (const [id, title] of Object.entries(changes.renamed)) this.renamed.set(id, title);
      for (const [id, revision] of Object.entries(changes.deleted)) this.deleted.set(id, revision);
      this.moved ||= changes.moved;
    }
    this.#left.push(...left.map(({ tab }) => tab));
    return found;
  }

  /** Those that were taken over; they go in the same write that keeps what they said. */
  #left: string[] = [];

  /** Once the pages are shown as they were left. */
  async keepTaken(): Promise<void> {
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
          deleted: Object.fromEntries(this.deleted),
          order: this.#parts.order(),
          moved: this.moved,
        };
    return database.write([{ ...keyOf(slug, tab), value }, ...dropped.map(other => keyOf(slug, other))]);
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Whatever is stored was not necessarily written by this version: it is read as untrusted input. */
export function readChanges(stored: unknown): KeptChanges | undefined {
  if (!isRecord(stored)) return undefined;
  const { added, renamed, deleted, order, moved } = stored;
  if (!Array.isArray(added) || !isRecord(renamed) || !isRecord(deleted) || !Array.isArray(order)) return undefined;
  return {
    added: added.flatMap(page => readAdded(page) ?? []),
    renamed: Object.fromEntries(Object.entries(renamed).filter((entry): entry is [string, string] => isText(entry[1]))),
    deleted: Object.fromEntries(Object.entries(deleted).filter((entry): entry is [string, number] => Number.isInteger(entry[1]))),
    order: order.filter(isText),
    moved: moved === true,
  };
}

function readAdded(stored: unknown): AddedPage | undefined {
  if (!isRecord(stored) || !isText(stored.id) || !isPageKey(stored.id)) return undefined;
  const { id, title } = stored;
  return { id, ...(isText(title) ? { title } : {}) };
}

/** The order that is wanted; what it does not name stands behind its neighbour in the order that there is. */
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
