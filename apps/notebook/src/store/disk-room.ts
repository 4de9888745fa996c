import { statfs } from 'node:fs/promises';
import { DatabaseUnavailable } from './database-unavailable.ts';

/** Below it a page of the largest size with its snapshot and its index no longer fits for sure. */
export const leastRoomBytes = 8 * 1024 * 1024;

/**
 * SQLite writes its log over again, so a small write goes through on a full disk where the next large one does not.
 * @throws DatabaseUnavailable
 */
export async function requireRoom(folder: string): Promise<void> {
  // A file system that does not tell how full it is gets the benefit of the doubt: the write that follows asks it.
  const told = await statfs(folder).catch(() => undefined);
  if (!told || told.blocks === 0) return;
  const room = told.bavail * told.bsize;
  if (room < leastRoomBytes) throw new DatabaseUnavailable(new Error(`The disk of the database has ${room} bytes left.`));
}
