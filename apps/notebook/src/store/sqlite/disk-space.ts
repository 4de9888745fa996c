import { statfs } from 'node:fs/promises';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import { isDiskFull } from './sqlite-errors.ts';

/** With less space, a page of the largest size with its snapshot and its index may no longer fit. */
const minFreeBytes = 8 * 1024 * 1024;

/** How long a write that failed for lack of space is remembered. */
const refusedForMs = 5_000;

export interface DiskSpace {
  /** Called for every write that failed. */
  noteFault(error: unknown): void;
  /** @throws DatabaseUnavailable when there is almost no space, or a write has just failed for lack of it */
  require(): Promise<void>;
}

/**
 * Quotas and file size limits do not show in the disk's free space, and a small write may succeed where a large one fails. So a recent
 * failure is better evidence.
 */
export function createDiskSpace(folder: string | undefined): DiskSpace {
  let refused: { readonly at: number; readonly error: unknown } | undefined;
  return {
    noteFault(error) {
      if (isDiskFull(error)) refused = { at: performance.now(), error };
    },
    async require() {
      if (refused && performance.now() - refused.at < refusedForMs) throw new DatabaseUnavailable(refused.error);
      if (folder !== undefined) await requireFreeSpace(folder);
    },
  };
}

/**
 * SQLite overwrites its log, so a small write succeeds on a full disk where the next large one fails.
 * @throws DatabaseUnavailable
 */
async function requireFreeSpace(folder: string): Promise<void> {
  // A file system that does not report how full it is passes: the write that follows will show it.
  const told = await statfs(folder).catch(() => undefined);
  if (!told || told.blocks === 0) return;
  const room = told.bavail * told.bsize;
  if (room < minFreeBytes) throw new DatabaseUnavailable(new Error(`The disk of the database has ${room} bytes left.`));
}
