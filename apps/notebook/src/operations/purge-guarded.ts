import type { PurgeCounts } from '../store/store.ts';
import type { ClockWatch } from './clock-watch.ts';
import type { Needs } from './parts.ts';
import { describePurge, type PurgeOptions, purgeExpired } from './purge-expired.ts';

/** Up to so many notebooks a purge may always delete; of more, at most the half of all. */
export const purgeWithoutAsking = { notebooks: 100, share: 0.5 } as const;

export interface GuardedOptions extends PurgeOptions {
  /** The operator has looked: the clock is right, and so is the number. */
  readonly force?: boolean;
}

export type PurgeResult =
  | { readonly kind: 'purged' | 'would-purge'; readonly counts: PurgeCounts }
  /** `why`: the clock leapt (it may come back by itself), or so much would go that the operator is to look first. */
  | {
      readonly kind: 'refused';
      readonly reason: 'clock' | 'share';
      readonly why: string;
      readonly counts: PurgeCounts | undefined;
    };

/** What a purge deletes nobody brings back: it is not begun when it looks like a mistake. */
export async function purgeGuarded(
  parts: Needs<'store' | 'now'> & { readonly clock: ClockWatch },
  { force = false, ...options }: GuardedOptions,
): Promise<PurgeResult> {
  if (force && !options.dryRun) await parts.clock.believe();
  const reading = await parts.clock.look();
  if (reading.kind === 'leapt' && !force) return { kind: 'refused', reason: 'clock', why: reading.why, counts: undefined };
  const due = await purgeExpired(parts, { ...options, dryRun: true });
  const why = force ? undefined : await checkShare(parts, due);
  if (why !== undefined) return { kind: 'refused', reason: 'share', why, counts: due };
  if (options.dryRun) return { kind: 'would-purge', counts: due };
  return { kind: 'purged', counts: await purgeExpired(parts, options) };
}

async function checkShare({ store }: Needs<'store'>, { expired, burned }: PurgeCounts): Promise<string | undefined> {
  const going = expired + burned;
  if (going <= purgeWithoutAsking.notebooks) return undefined;
  const enough = Math.ceil(going / purgeWithoutAsking.share);
  const all = await store.countNotebooks(enough);
  return all < enough ? `${going} of ${all} notebooks would go, more than half` : undefined;
}

/** What became of a purge, as a sentence without names. */
export function describeGuardedPurge(result: PurgeResult): string {
  if (result.kind !== 'refused') return describePurge(result.counts, result.kind === 'would-purge');
  const look =
    'Look at the clock and at what is due: octavo job purge --dry-run --force. If it is right: octavo job purge --force';
  return `Refused: ${result.why}. Nothing was deleted. ${look}`;
}
