import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs `action` while no other process on this machine does so with the same lock file. A dead holder's lock is taken over. */
export async function oneAtATime<T>(lockFile: string, action: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(lockFile), { recursive: true });
  while (!take(lockFile)) await sleep(100);
  try {
    return await action();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function take(lockFile: string): boolean {
  try {
    writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!holderLives(lockFile)) rmSync(lockFile, { force: true });
    return false;
  }
}

function holderLives(lockFile: string): boolean {
  try {
    const holder = Number(readFileSync(lockFile, 'utf8'));
    // The file was created, but its process id is not yet written.
    if (!(holder > 0)) return true;
    process.kill(holder, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
