import { isObjectKey, notebookIdOf } from '../model/image.ts';
import { type ObjectStore, ObjectsStayed, type StoredObject } from '../objects/object-store.ts';
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

/** Orphans that the store would not delete: the next sweep finds them again. */
export interface Stayed {
  readonly count: number;
  /** The first of them. */
  readonly keys: readonly string[];
  /** Of the first: a word of the store's. */
  readonly reason: string;
}

export type SweepResult =
  | { readonly kind: 'would-sweep'; readonly counts: SweepCounts }
  | { readonly kind: 'swept'; readonly counts: SweepCounts; readonly stayed?: Stayed }
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
  if (dryRun) return { kind: 'would-sweep', counts };
  if (counts.orphans === 0) return { kind: 'swept', counts };

  let done = nothing;
  let stayed: Stayed | undefined;
  const most = force ? Number.POSITIVE_INFINITY : counts.ours / 2;
  for await (const page of sortedPages(parts, signal)) {
    const seen = sum(done, count(page));
    if (seen.orphans > most) {
      const why = `notebooks went missing while it swept; it stopped after ${done.orphans} objects, before half of all were gone`;
      return { kind: 'refused', counts: seen, why };
    }
    done = seen;
    if (page.orphans.length > 0) stayed = addStayed(stayed, await deleteAll(parts.objects, page.orphans, signal));
  }
  return { kind: 'swept', counts: done, ...(stayed && { stayed }) };
}

/** Of those that stay an operator wants to see some. */
const mostTold = 10;

function addStayed(one: Stayed | undefined, other: ObjectsStayed | undefined): Stayed | undefined {
  if (!other) return one;
  const { count, keys, reason } = one ?? { count: 0, keys: [], reason: other.reason };
  return { count: count + other.keys.length, keys: [...keys, ...other.keys].slice(0, mostTold), reason };
}

/** What is locked, or not ours to delete, must not keep the others. */
async function deleteAll(
  objects: ObjectStore,
  orphans: readonly StoredObject[],
  signal: AbortSignal | undefined,
): Promise<ObjectsStayed | undefined> {
  try {
    await objects.delete(
      orphans.map(({ key }) => key),
      signal,
    );
    return undefined;
  } catch (error) {
    if (error instanceof ObjectsStayed) return error;
    throw error;
  }
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

/** What a sweep did or would do, in sentences. Named are only objects that it could not delete: they are no notebook's any more. */
export function describeSweep(result: SweepResult): string {
  const { living, young, orphans, orphanBytes, foreign } = result.counts;
  const found = `${orphans} image objects without a notebook (${orphanBytes} bytes)`;
  const left = `${living} of notebooks, ${young} younger than a day, ${foreign} under keys that are not ours`;
  switch (result.kind) {
    case 'swept':
      return `${result.stayed ? describeStayed(found, result.stayed) : `Deleted ${found}.`} Left ${left}.`;
    case 'would-sweep':
      return `Would delete ${found}. Would leave ${left}.`;
    case 'refused':
      return `Refused: ${result.why}. Found ${found}; besides ${left}. If that is right: octavo job sweep --force`;
  }
}

function describeStayed(found: string, { count, keys, reason }: Stayed): string {
  const names = keys.join(', ') + (count > keys.length ? ', …' : '');
  return `Found ${found}, and deleted all but ${count}: the image store refused (${reason}) to delete ${names}. The next sweep tries again.`;
}
