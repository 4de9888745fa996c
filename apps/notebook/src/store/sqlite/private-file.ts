import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const groupAndOthers = 0o077;

/**
 * Makes the database file and the files that SQLite keeps beside it accessible to this account only: they hold texts and the key that signs
 * cookies. New folders get mode 0700; an existing folder stays as the operator made it. SQLite gives `-wal` and `-shm` the mode of the
 * file.
 */
export function makePrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  makeFile(path);
  for (const file of [path, `${path}-wal`, `${path}-shm`]) restrictToOwner(file);
}

/** Only when there is none: closing a file releases every lock that this process has on it. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Older versions created files with whatever mode the umask left. Only files: a `DATABASE_URL` that names a folder or a device by mistake
 * is refused later, and `/tmp` must not have been closed to everyone else by then.
 */
function restrictToOwner(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile() || (found.mode & groupAndOthers) === 0) return;
  try {
    chmodSync(file, found.mode & 0o700);
  } catch (error) {
    // A file that this account may write but does not own: its owner decides the mode.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
