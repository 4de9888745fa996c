import { keysWithPrefix, readKey, removeKey, writeKey } from '../device-storage.ts';

/** Text that the server has not acknowledged yet. */
export interface Draft {
  readonly pageId: string;
  readonly markdown: string;
  /** The revision the text was made from. */
  readonly baseRevision: number;
  /** Milliseconds since 1970 UTC, by this device's clock. */
  readonly changedAt: number;
}

const prefix = 'octavo.draft.';

/**
 * The drafts of one notebook. Each open tab keeps its own, so two tabs on one page never overwrite each other's;
 * a tab's name is held as a lock, by which a later tab knows which drafts were left behind.
 */
export class Drafts {
  readonly #slug: string;
  readonly #tab: string = createTabName();

  constructor(slug: string) {
    this.#slug = slug;
    void navigator.locks?.request(lockName(this.#tab), () => new Promise<never>(() => {}));
  }

  /** @returns false when the browser kept nothing */
  keep(draft: Draft): boolean {
    return writeKey(this.#key(draft.pageId, this.#tab), JSON.stringify(draft));
  }

  drop(pageId: string): void {
    removeKey(this.#key(pageId, this.#tab));
  }

  /** Takes over what tabs left behind that are closed or crashed; the newest of each page. The rest is removed. */
  async adopt(): Promise<Draft[]> {
    const alive = await liveTabs();
    const left = keysWithPrefix(`${prefix}${this.#slug}/`).filter(key => !alive.has(key.split('/')[2] ?? ''));
    const newest = new Map<string, Draft>();
    for (const key of left) {
      const draft = readDraft(readKey(key));
      if (draft && draft.changedAt >= (newest.get(draft.pageId)?.changedAt ?? 0)) newest.set(draft.pageId, draft);
    }
    // Under this tab's name first: a crash in between must leave one copy.
    for (const draft of newest.values()) this.keep(draft);
    for (const key of left) if (!key.endsWith(this.#tab)) removeKey(key);
    return [...newest.values()];
  }

  #key(pageId: string, tab: string): string {
    return `${prefix}${this.#slug}/${pageId}/${tab}`;
  }
}

export function forgetDrafts(slug: string): void {
  for (const key of keysWithPrefix(`${prefix}${slug}/`)) removeKey(key);
}

/** Not `randomUUID`, which browsers keep from pages that came over plain http from another machine. */
function createTabName(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))].map(byte => byte.toString(16).padStart(2, '0')).join('');
}

const lockName = (tab: string) => `octavo.tab.${tab}`;

async function liveTabs(): Promise<Set<string>> {
  const locks = (await navigator.locks?.query()) ?? {};
  return new Set((locks.held ?? []).map(lock => (lock.name ?? '').replace(lockName(''), '')));
}

function readDraft(text: string | undefined): Draft | undefined {
  try {
    const { pageId, markdown, baseRevision, changedAt } = JSON.parse(text ?? 'null') as Record<string, unknown>;
    if (typeof pageId !== 'string' || typeof markdown !== 'string') return undefined;
    if (typeof baseRevision !== 'number' || typeof changedAt !== 'number') return undefined;
    return { pageId, markdown, baseRevision, changedAt };
  } catch {
    return undefined;
  }
}
