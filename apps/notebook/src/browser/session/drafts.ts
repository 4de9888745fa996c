import type { AbandonedDraft, Draft } from './draft.ts';
import { readDraft } from './draft.ts';
import { type DraftChange, DraftDatabase, type DraftRecord } from './draft-database.ts';
import { dropFromKeys, forgetKeys, keepInKeys, listInKeys } from './draft-keys.ts';

/** How much of the newest typing a killed browser may lose. */
const writeAfterMilliseconds = 200;
/** Larger texts would use up local storage that other parts need, and block the page while they are written. */
const largestBackupChars = 200_000;
/** How long to wait after the database refused a write. */
const tryAgainMilliseconds = 30_000;

const database = new DraftDatabase();

export type FindOpenTabs = (tabs: ReadonlySet<string>) => Promise<ReadonlySet<string>>;

/**
 * The drafts of one notebook in one tab. Each open tab keeps its own, so two tabs on one page never overwrite each other's. Writes
 * are gathered for a moment and go to IndexedDB, or to local storage where that refuses.
 */
export class Drafts {
  readonly #slug: string;
  readonly #tab: string;
  readonly #onKept: (kept: boolean) => void;
  readonly #waiting = new Map<string, Draft | undefined>();
  /** The base last written for each page, so that a megabyte is not written again at every key. */
  readonly #bases = new Map<string, Pick<Draft, 'baseMarkdown' | 'sent'>>();
  readonly #kept = new Map<string, Draft>();
  /** Drafts of closed tabs that stay stored because the only other copy is in this window. */
  readonly #handedOver: { pageId: string; readonly left: AbandonedDraft }[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<boolean> | undefined;
  #databaseFailedAt = Number.NEGATIVE_INFINITY;

  /** @param onKept told after every write whether this device keeps drafts */
  constructor(slug: string, tab: string, onKept: (kept: boolean) => void) {
    this.#slug = slug;
    this.#tab = tab;
    this.#onKept = onKept;
  }

  keep(draft: Draft): void {
    this.#kept.set(draft.pageId, draft);
    this.#waiting.set(draft.pageId, draft);
    this.#timer ??= setTimeout(() => void this.writeNow(), writeAfterMilliseconds);
  }

  drop(pageId: string): void {
    if (!this.#kept.delete(pageId)) return;
    this.#waiting.set(pageId, undefined);
    dropFromKeys(this.#slug, this.#tab, pageId);
    for (const { pageId: holder, left } of this.#handedOver) if (holder === pageId) void dropDraft(this.#slug, left);
    this.#timer ??= setTimeout(() => void this.writeNow(), writeAfterMilliseconds);
  }

  /** Moves a draft to the page's new id in one write, so that it is always stored under one of the two. */
  move(from: string, to: string): void {
    for (const handed of this.#handedOver) if (handed.pageId === from) handed.pageId = to;
    const draft = this.#kept.get(from);
    if (!draft) return;
    this.keep({ ...draft, pageId: to });
    this.drop(from);
    void this.writeNow();
  }

  /**
   * Writes everything that is still waiting, because the page may be gone in a moment.
   * @returns whether this device kept what was written last
   */
  async writeNow(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const changes = [...this.#waiting];
    this.#waiting.clear();
    if (changes.length > 0) this.#writing = this.#write(changes);
    return this.#writing ?? true;
  }

  /** Copies the drafts to local storage, which is written synchronously and so survives whatever happens to the page next. */
  backUp(): void {
    for (const draft of this.#kept.values())
      if (draft.markdown.length + (draft.baseMarkdown?.length ?? 0) <= largestBackupChars)
        keepInKeys(this.#slug, this.#tab, draft);
  }

  async #write(drafts: readonly (readonly [string, Draft | undefined])[]): Promise<boolean> {
    const kept = (await this.#writeToDatabase(drafts.flatMap(change => this.#changesOf(...change)))) || this.#writeToKeys(drafts);
    this.#onKept(kept);
    return kept;
  }

  #writeToKeys(drafts: readonly (readonly [string, Draft | undefined])[]): boolean {
    for (const [pageId] of drafts) this.#bases.delete(pageId);
    // Takes the newest text: a write that fails late must not overwrite a later one.
    const written = drafts.map(([pageId, draft]) => {
      const newest = draft && this.#kept.get(pageId);
      return !newest || keepInKeys(this.#slug, this.#tab, newest);
    });
    return written.every(Boolean);
  }

  async #writeToDatabase(changes: readonly DraftChange[]): Promise<boolean> {
    // Deletions are tried even when the database is full: saved text must not come back as unsaved.
    const stores = changes.some(({ value }) => value !== undefined);
    if (stores && performance.now() - this.#databaseFailedAt < tryAgainMilliseconds) return false;
    try {
      await database.write(changes);
      return true;
    } catch {
      this.#databaseFailedAt = performance.now();
      return false;
    }
  }

  #changesOf(pageId: string, draft: Draft | undefined): DraftChange[] {
    const key = { slug: this.#slug, pageId, tab: this.#tab };
    if (!draft) {
      this.#bases.delete(pageId);
      return [
        { ...key, part: 'text' },
        { ...key, part: 'base' },
      ];
    }
    const { baseMarkdown, sent, ...text } = draft;
    const changes: DraftChange[] = [{ ...key, part: 'text', value: text }];
    const last = this.#bases.get(pageId);
    if (!last || last.baseMarkdown !== baseMarkdown || last.sent !== sent) {
      this.#bases.set(pageId, { baseMarkdown, sent });
      changes.push({ ...key, part: 'base', value: { baseMarkdown, sent } });
    }
    return changes;
  }

  /**
   * Finds the drafts of closed and crashed tabs, newest first. Each stays stored until it is dropped.
   *
   * @param findOpenTabs returns those of the given tabs that are open
   */
  async findAbandoned(findOpenTabs: FindOpenTabs): Promise<AbandonedDraft[]> {
    const ofOthers = (await findDrafts(this.#slug)).filter(draft => draft.tab !== this.#tab);
    const alive = await findOpenTabs(new Set(ofOthers.map(draft => draft.tab)));
    return ofOthers.filter(draft => !alive.has(draft.tab));
  }

  /**
   * Drops a draft whose text a page now has. If this device could not keep the page's own draft, the one of the closed tab stays until the
   * server has the text.
   */
  async handOver(left: AbandonedDraft): Promise<void> {
    if (await this.writeNow()) await dropDraft(this.#slug, left);
    else this.#handedOver.push({ pageId: left.pageId, left });
  }
}

/** Every draft of a notebook on this device, newest first; of one tab and page only the newest. */
export async function findDrafts(slug: string): Promise<AbandonedDraft[]> {
  const stored = joinParts(await database.list(slug).catch(() => []));
  const newest = new Map<string, AbandonedDraft>();
  for (const draft of [...stored, ...listInKeys(slug)]) {
    const name = `${draft.pageId}/${draft.tab}`;
    // On a tie the database wins: the same draft in local storage may lack its base.
    if (draft.changedAt > (newest.get(name)?.changedAt ?? Number.NEGATIVE_INFINITY)) newest.set(name, draft);
  }
  return [...newest.values()].sort((one, other) => other.changedAt - one.changedAt);
}

export async function dropDraft(slug: string, { pageId, tab }: AbandonedDraft): Promise<void> {
  dropFromKeys(slug, tab, pageId);
  const key = { slug, pageId, tab };
  await database
    .write([
      { ...key, part: 'text' },
      { ...key, part: 'base' },
    ])
    .catch(() => {});
}

export async function forgetDrafts(slug: string): Promise<void> {
  forgetKeys(slug);
  await database.forget(slug).catch(() => {});
}

function joinParts(records: readonly DraftRecord[]): AbandonedDraft[] {
  return records.flatMap(({ pageId, tab, part, value }) => {
    if (part !== 'text') return [];
    const base = records.find(other => other.part === 'base' && other.pageId === pageId && other.tab === tab);
    const draft = readDraft(pageId, value, base?.value);
    return draft ? [{ ...draft, tab }] : [];
  });
}
