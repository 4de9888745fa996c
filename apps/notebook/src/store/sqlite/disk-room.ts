import { statfs } from 'node:fs/promises';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import { isOutOfRoom } from './sqlite-errors.ts';

/** Below it a page of the largest size with its snapshot and its index no longer fits for sure. */
const leastRoomBytes = 8 * 1024 * 1024;

/** So long a write that failed for want of room is remembered. */
const refusedForMs = 5_000;

export interface DiskRoom {
  /** Told of every write that failed. */
  noteFault(error: unknown): void;
  /** @throws DatabaseUnavailable when there is hardly any room, or a write has just found none */
  require(): Promise<void>;
}

/**
 * Quotas and limits on the size of a file are not seen in the free room of the disk, and a small write goes through beside a large one
 * that does not: whoever was refused lately is the better witness.
 */
export function createDiskRoom(folder: string | undefined): DiskRoom {
  let refused: { readonly at: number; readonly error: unknown } | undefined;
  return {
    noteFault(error) {
      if (isOutOfRoom(error)) refused = { at: performance.now(), error };
    },
    async require() {
      if (refused && performance.now() - refused.at < refusedForMs) throw new DatabaseUnavailable(refused.error);
      if (folder !== undefined) await requireRoom(folder);
    },
  };
}

/**
 * SQLite writes its log over again, so a small write goes through on a full disk where the next large one does not.
 * @throws DatabaseUnavailable
 */
async function requireRoom(folder: string): Promise<void> {
  // A file system that does not tell how full it is gets the benefit of the doubt: the write that follows asks it.
  const told = await statfs(folder).catch(() => undefined);
  if (!told || told.blocks === 0) return;
  const room = told.bavail * told.bsize;
  if (room < leastRoomBytes) throw new DatabaseUnavailable(new Error(`The disk of the database has ${room} bytes left.`));
}
