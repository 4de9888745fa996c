import { limits } from '../limits.ts';

export const autosaveSnapshotMillis = limits.autosaveSnapshotMinutes * 60_000;

/**
 * Whether the text that a change replaces becomes a snapshot. Spec 1 §2: on a content change, not on every auto-save tick; a tick
 * makes one only when the page's newest is older than five minutes, or there is none.
 */
export function needsSnapshot(autosave: boolean, newestAt: number | undefined, now: number): boolean {
  return !autosave || newestAt === undefined || now - newestAt > autosaveSnapshotMillis;
}

export const keptSnapshots = limits.maxSnapshotsPerPage;
