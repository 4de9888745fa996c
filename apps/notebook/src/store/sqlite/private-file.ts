import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const groupAndOthers = 0o077;

/**
 * The file and what SQLite keeps beside it belong to this account alone: they hold texts and the key that signs cookies. Folders are
 * made 0700; one that was there already stays as the operator made it. SQLite gives `-wal` and `-shm` the mode of the file.
 */
export function makePrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  makeFile(path);
  for (const file of [path, `${path}-wal`, `${path}-shm`]) closeToOthers(file);
}

/** Only where there is none: closing a file gives up every lock that this process has on it. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Files of older versions were made with whatever the umask left. */
function closeToOthers(file: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode === undefined || (mode & groupAndOthers) === 0) return;
  try {
    chmodSync(file, mode & 0o700);
  } catch (error) {
    // Somebody else's file that this account may write to: whose it is, decides its mode.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
}
