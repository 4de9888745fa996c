import { limits } from '../limits.ts';

export const autosaveSnapshotMillis = limits.autosaveSnapshotMinutes * 60_000;

/**
 * Whether the text that a change replaces becomes a snapshot. Spec 1 §2: on a content change, not on every autosave tick; a tick makes one
 * only when the page's newest is older than five minutes, or there is none. A snapshot more than five minutes in the future was made while
 * the clock was wrong: it must not prevent others until its time has come.
 */
export function needsSnapshot(autosave: boolean, newestAt: number | undefined, now: number): boolean {
  return !autosave || newestAt === undefined || Math.abs(now - newestAt) > autosaveSnapshotMillis;
}

export const keptSnapshots = limits.maxSnapshotsPerPage;
