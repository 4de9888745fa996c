import { isObjectKey, notebookIdOf } from '../model/image.ts';
import { type ObjectStore, ObjectsNotDeleted, type StoredObject } from '../objects/object-store.ts';
import type { Store } from '../store/store.ts';

/** Younger objects are left alone: an upload may still be under way. */
const youngMs = 86_400_000;

export interface SweepOptions {
  /** Counts and deletes nothing. */
  readonly dryRun?: boolean;
  /** Deletes even if that looks like a mistake. */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

export interface SweepParts {
  readonly store: Pick<Store, 'findLivingNotebooks' | 'hasNotebooks'>;
  readonly objects: ObjectStore;
  readonly now: () => number;
}

export interface SweepCounts {
  /** Objects under keys of ours; each counts in one of the next three. */
  readonly ours: number;
  readonly living: number;
  /** Without a notebook, and younger than a day. */
  readonly young: number;
  /** Without a notebook, and older than that: these are deleted. */
  readonly orphans: number;
  readonly orphanBytes: number;
  /** Under keys that do not have our form: left alone. */
  readonly foreign: number;
}

/** Orphans that the store refused to delete: the next sweep finds them again. */
export interface UndeletedOrphans {
  readonly count: number;
  /** The first few of them. */
  readonly keys: readonly string[];
  /** The store's reason for the first one. */
  readonly reason: string;
}

export type SweepResult =
  | { readonly kind: 'would-sweep'; readonly counts: SweepCounts }
  | { readonly kind: 'swept'; readonly counts: SweepCounts; readonly stayed?: UndeletedOrphans }
  | { readonly kind: 'refused'; readonly counts: SweepCounts; readonly why: string };

/**
 * Deletes the objects without a notebook (spec 1 §3). It walks the store twice. The first pass counts, because it must be known whether too
 * much would go before anything goes. The second pass deletes page by page, after checking each page against the database again. So it
 * holds one page at a time however large the store is, and may be stopped, repeated or run twice at once.
 * @throws ObjectStoreFailed, or the signal's reason; deletions up to then stay
 */
export async function sweepOrphanImages(parts: SweepParts, options: SweepOptions = {}): Promise<SweepResult> {
  const { dryRun = false, force = false, signal } = options;
  let counts = nothing;
  for await (const page of sortedPages(parts, signal)) counts = sum(counts, count(page));
  const why = force ? undefined : await checkRefused(parts, counts);
  if (why !== undefined) return { kind: 'refused', counts, why };
  if (dryRun) return { kind: 'would-sweep', counts };
  if (counts.orphans === 0) return { kind: 'swept', counts };

  let done = nothing;
  let stayed: UndeletedOrphans | undefined;
  const most = force ? Number.POSITIVE_INFINITY : counts.ours / 2;
  for await (const page of sortedPages(parts, signal)) {
    const seen = sum(done, count(page));
    if (seen.orphans > most) {
      const why = `notebooks went missing while it swept; it stopped after ${done.orphans} objects, before half of all were gone`;
      return { kind: 'refused', counts: seen, why };
    }
    done = seen;
    if (page.orphans.length > 0) stayed = addUndeleted(stayed, await deleteAll(parts.objects, page.orphans, signal));
  }
  return { kind: 'swept', counts: done, ...(stayed && { stayed }) };
}

/** How many of the orphans that stayed are named to the operator. */
const maxReportedKeys = 10;

function addUndeleted(one: UndeletedOrphans | undefined, other: ObjectsNotDeleted | undefined): UndeletedOrphans | undefined {
  if (!other) return one;
  const { count, keys, reason } = one ?? { count: 0, keys: [], reason: other.reason };
  return { count: count + other.keys.length, keys: [...keys, ...other.keys].slice(0, maxReportedKeys), reason };
}

/** An object that is locked, or not ours to delete, must not hold up the others. */
async function deleteAll(
  objects: ObjectStore,
  orphans: readonly StoredObject[],
  signal: AbortSignal | undefined,
): Promise<ObjectsNotDeleted | undefined> {
  try {
    await objects.delete(
      orphans.map(({ key }) => key),
      signal,
    );
    return undefined;
  } catch (error) {
    if (error instanceof ObjectsNotDeleted) return error;
    throw error;
  }
}

interface SortedPage {
  readonly living: readonly StoredObject[];
  readonly young: readonly StoredObject[];
  readonly orphans: readonly StoredObject[];
  readonly foreign: readonly StoredObject[];
}

/** Lists objects first and queries the database afterwards: a notebook is older than its objects, so a living one is found. */
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

/** A database that was swapped, emptied or restored from an old backup must not empty the store as well. */
async function checkRefused({ store }: SweepParts, { ours, orphans }: SweepCounts): Promise<string | undefined> {
  if (orphans === 0) return undefined;
  if (!(await store.hasNotebooks())) return 'the database has no notebooks at all';
  return orphans > ours / 2 ? `${orphans} of ${ours} objects would go, more than half` : undefined;
}

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

/** Says what a sweep did or would do, and names only objects that could not be deleted: they no longer belong to a notebook. */
export function describeSweep(result: SweepResult): string {
  const { living, young, orphans, orphanBytes, foreign } = result.counts;
  const found = `${orphans} image objects without a notebook (${orphanBytes} bytes)`;
  const left = `${living} of notebooks, ${young} younger than a day, ${foreign} under keys that are not ours`;
  switch (result.kind) {
    case 'swept':
      return `${result.stayed ? describeUndeleted(found, result.stayed) : `Deleted ${found}.`} Left ${left}.`;
    case 'would-sweep':
      return `Would delete ${found}. Would leave ${left}.`;
    case 'refused':
      return `Refused: ${result.why}. Found ${found}; besides ${left}. If that is right: octavo job sweep --force`;
  }
}

function describeUndeleted(found: string, { count, keys, reason }: UndeletedOrphans): string {
  const names = keys.join(', ') + (count > keys.length ? ', …' : '');
  return `Found ${found}, and deleted all but ${count}: the image store refused (${reason}) to delete ${names}. The next sweep tries again.`;
}
