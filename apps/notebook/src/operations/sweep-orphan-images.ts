import { isObjectKey, notebookIdOf } from '../model/image.ts';
import type { ObjectStore, StoredObject } from '../objects/object-store.ts';
import type { Store } from '../store/store.ts';

/** Younger objects are left: whatever is going on with them is not over. */
const youngMs = 86_400_000;

export interface SweepOptions {
  /** Counts and deletes nothing. */
  readonly dryRun?: boolean;
  /** Deletes even where that looks like a mistake. */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

export interface SweepParts {
  readonly store: Pick<Store, 'findLivingNotebooks' | 'hasNotebooks'>;
  readonly objects: ObjectStore;
  readonly now: () => number;
}

export interface SweepCounts {
  /** Objects under keys of ours; each is one of the next three. */
  readonly ours: number;
  readonly living: number;
  /** Without a notebook, and younger than a day. */
  readonly young: number;
  /** Without a notebook: what goes. */
  readonly orphans: number;
  readonly orphanBytes: number;
  /** Under keys that are not of our shape: left alone. */
  readonly foreign: number;
}

export type SweepResult =
  | { readonly kind: 'swept' | 'would-sweep'; readonly counts: SweepCounts }
  | { readonly kind: 'refused'; readonly counts: SweepCounts; readonly why: string };

/**
 * Deletes the objects without a notebook (spec 1 §3). Twice through the store: the first time counts, because whether too much would
 * go has to be known before anything goes, and the second time deletes page by page, each page after another look at the database. So
 * it holds one page at a time however large the store is, and may be stopped, repeated or done twice at once.
 * @throws ObjectStoreFailed, or the signal's reason; what is deleted by then stays deleted
 */
export async function sweepOrphanImages(parts: SweepParts, options: SweepOptions = {}): Promise<SweepResult> {
  const { dryRun = false, force = false, signal } = options;
  let counts = nothing;
  for await (const page of sortedPages(parts, signal)) counts = sum(counts, count(page));
  const why = force ? undefined : await checkRefused(parts, counts);
  if (why !== undefined) return { kind: 'refused', counts, why };
  if (dryRun || counts.orphans === 0) return { kind: dryRun ? 'would-sweep' : 'swept', counts };

  let done = nothing;
  const most = force ? Number.POSITIVE_INFINITY : counts.ours / 2;
  for await (const page of sortedPages(parts, signal)) {
    const seen = sum(done, count(page));
    if (seen.orphans > most) {
      const why = `notebooks went missing while it swept; it stopped after ${done.orphans} objects, before half of all were gone`;
      return { kind: 'refused', counts: seen, why };
    }
    done = seen;
    if (page.orphans.length > 0) await parts.objects.delete(keysOf(page.orphans), signal);
  }
  return { kind: 'swept', counts: done };
}

interface SortedPage {
  readonly living: readonly StoredObject[];
  readonly young: readonly StoredObject[];
  readonly orphans: readonly StoredObject[];
  readonly foreign: readonly StoredObject[];
}

/** Lists first and asks the database afterwards: a notebook is older than its objects, so a living one is found. */
async function* sortedPages({ store, objects, now }: SweepParts, signal?: AbortSignal): AsyncGenerator<SortedPage> {
  let after: string | undefined;
  do {
    signal?.throwIfAborted();
    const page = await objects.list(after, signal);
    const foreign = page.objects.filter(({ key }) => !isObjectKey(key));
    const ours = page.objects.filter(({ key }) => isObjectKey(key));
    const alive = await store.findLivingNotebooks([...new Set(ours.map(({ key }) => notebookIdOf(key)))]);
    const oldest = now() - youngMs;
    const isLiving = ({ key }: StoredObject) => alive.has(notebookIdOf(key));
    const dead = ours.filter(object => !isLiving(object));
    yield {
      foreign,
      living: ours.filter(isLiving),
      young: dead.filter(({ modifiedAt }) => modifiedAt > oldest),
      orphans: dead.filter(({ modifiedAt }) => modifiedAt <= oldest),
    };
    after = page.next;
  } while (after !== undefined);
}

/** A database that was swapped, emptied or restored from last year must not empty the store as well. */
async function checkRefused({ store }: SweepParts, { ours, orphans }: SweepCounts): Promise<string | undefined> {
  if (orphans === 0) return undefined;
  if (!(await store.hasNotebooks())) return 'the database has no notebooks at all';
  return orphans > ours / 2 ? `${orphans} of ${ours} objects would go, more than half` : undefined;
}

const keysOf = (objects: readonly StoredObject[]) => objects.map(({ key }) => key);

const nothing: SweepCounts = { ours: 0, living: 0, young: 0, orphans: 0, orphanBytes: 0, foreign: 0 };

function count({ living, young, orphans, foreign }: SortedPage): SweepCounts {
  return {
    ours: living.length + young.length + orphans.length,
    living: living.length,
    young: young.length,
    orphans: orphans.length,
    orphanBytes: orphans.reduce((bytes, object) => bytes + object.bytes, 0),
    foreign: foreign.length,
  };
}

function sum(one: SweepCounts, other: SweepCounts): SweepCounts {
  return {
    ours: one.ours + other.ours,
    living: one.living + other.living,
    young: one.young + other.young,
    orphans: one.orphans + other.orphans,
    orphanBytes: one.orphanBytes + other.orphanBytes,
    foreign: one.foreign + other.foreign,
  };
}

/** What a sweep did or would do, as a sentence without names. */
export function describeSweep(result: SweepResult): string {
  const { living, young, orphans, orphanBytes, foreign } = result.counts;
  const found = `${orphans} image objects without a notebook (${orphanBytes} bytes)`;
  const left = `${living} of notebooks, ${young} younger than a day, ${foreign} under keys that are not ours`;
  switch (result.kind) {
    case 'swept':
      return `Deleted ${found}. Left ${left}.`;
    case 'would-sweep':
      return `Would delete ${found}. Would leave ${left}.`;
    case 'refused':
      return `Refused: ${result.why}. Found ${found}; besides ${left}. If that is right: octavo job sweep --force`;
  }
}
