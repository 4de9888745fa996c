import { limits } from '../limits.ts';

export const autosaveSnapshotMillis = limits.autosaveSnapshotMinutes * 60_000;

/**
 * Whether the text that a change replaces becomes a snapshot. Spec 1 §2: on a content change, not on every auto-save tick; a tick
 * makes one only when the page's newest is older than five minutes, or there is none. One that is more than five minutes ahead was made by
 * a clock that was wrong: it must not keep the others away until its time has come.
 */
export function needsSnapshot(autosave: boolean, newestAt: number | undefined, now: number): boolean {
  return !autosave || newestAt === undefined || Math.abs(now - newestAt) > autosaveSnapshotMillis;
}

export const keptSnapshots = limits.maxSnapshotsPerPage;
