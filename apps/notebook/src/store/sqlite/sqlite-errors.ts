import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseUnavailable } from '../database-unavailable.ts';

/** How long a thread waits for another's transaction where SQLite's own wait, which blocks the thread, does no harm. */
export const busyMillis = 10_000;

// Primary result codes, https://sqlite.org/rescode.html: the low byte of the driver's code.
const busyCodes = new Set([5 /* BUSY */, 6 /* LOCKED */]);
const outageCodes = new Set([
  ...busyCodes,
  3 /* PERM */,
  7 /* NOMEM */,
  8 /* READONLY */,
  10 /* IOERR */,
  11 /* CORRUPT */,
  13 /* FULL */,
  14 /* CANTOPEN */,
  15 /* PROTOCOL */,
  22 /* NOLFS */,
  23 /* AUTH */,
  26 /* NOTADB */,
]);

function primaryCode(error: unknown): number | undefined {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** Another process is writing. */
export function isBusy(error: unknown): boolean {
  return busyCodes.has(primaryCode(error) ?? 0);
}

/** A full disk, or a limit on the size of the file, which the system reports as a failed write. */
export function isDiskFull(error: unknown): boolean {
  return [10, 13].includes(primaryCode(error) ?? 0);
}

/** Turns a fault of the file into `DatabaseUnavailable`; any other error is returned as it is. */
export function sqliteFault(error: unknown): unknown {
  return outageCodes.has(primaryCode(error) ?? 0) ? new DatabaseUnavailable(error) : error;
}

/** The reason why a database cannot be opened, for the operator: with the path, which SQLite leaves out. */
export function cannotOpen(path: string, cause: unknown): Error {
  return new Error(`The database file ${resolve(path)} cannot be opened: ${reasonOf(path, cause)}`, { cause });
}

function reasonOf(path: string, cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'this process may not write there.';
  if (code === 'EROFS') return 'its file system is mounted read-only.';
  if (code === 'ENOSPC') return 'the disk is full.';
  if (code === 'ENOTDIR' || code === 'EEXIST') return `${dirname(resolve(path))} is not a folder.`;
  if (code === 'EISDIR' || statSync(path, { throwIfNoEntry: false })?.isDirectory()) return 'it is a folder.';
  switch (primaryCode(cause)) {
    case 5:
    case 6:
      return 'another process holds it. Is a backup, a restore or a database tool at work?';
    case 8:
      return 'this process may read it and not write to it.';
    case 11:
      return 'it is damaged. Put a backup in its place: octavo restore FILE --force.';
    case 13:
      return 'the disk is full.';
    case 14:
      return mayWrite(path) ? `${message}.` : 'this process may not read it or not write to it.';
    case 26:
      return 'it is not a SQLite database.';
    default:
      return `${message}.`;
  }
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
