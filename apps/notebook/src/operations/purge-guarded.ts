import type { PurgeCounts } from '../store/store.ts';
import type { ClockWatch } from './clock-watch.ts';
import type { Needs } from './parts.ts';
import { describePurge, type PurgeOptions, purgeExpired } from './purge-expired.ts';

/** A purge may always delete up to this many notebooks; if more are due, at most half of all. */
export const purgeWithoutAsking = { notebooks: 100, share: 0.5 } as const;

export interface GuardedOptions extends PurgeOptions {
  /** The operator has checked that the clock and the number are right. */
  readonly force?: boolean;
}

export type PurgeResult =
  | { readonly kind: 'purged' | 'would-purge'; readonly counts: PurgeCounts }
  /** `why`: the clock leapt (it may recover by itself), or so much would go that the operator should check first. */
  | {
      readonly kind: 'refused';
      readonly reason: 'clock' | 'share';
      readonly why: string;
      readonly counts: PurgeCounts | undefined;
    };

/** Nobody can bring back what a purge deletes, so a purge that looks like a mistake is not started. */
export async function purgeGuarded(
  parts: Needs<'store' | 'now'> & { readonly clock: ClockWatch },
  { force = false, ...options }: GuardedOptions,
): Promise<PurgeResult> {
  if (force && !options.dryRun) await parts.clock.trust();
  const reading = await parts.clock.check();
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

/** The result of a purge as a sentence, without names. */
export function describeGuardedPurge(result: PurgeResult): string {
  if (result.kind !== 'refused') return describePurge(result.counts, result.kind === 'would-purge');
  const check =
    'Look at the clock and at what is due: octavo job purge --dry-run --force. If it is right: octavo job purge --force';
  return `Refused: ${result.why}. Nothing was deleted. ${check}`;
}
