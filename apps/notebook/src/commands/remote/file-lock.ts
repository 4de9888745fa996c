import { open, rm } from 'node:fs/promises';
import { CommandFailed } from '../command.ts';

const timeoutMs = 10_000;
const pauseMs = 20;

/**
 * Runs the work while no other process runs such work on this file. The lock is a file beside it that only one process can create; it is
 * held for milliseconds. A lock that is still there after the timeout was left by a crash, or is held by a machine that shares the folder.
 * No process can tell which, so it is not removed.
 * @throws CommandFailed naming the lock
 */
export async function withLock<Result>(path: string, work: () => Promise<Result>, lockTimeoutMs = timeoutMs): Promise<Result> {
  const lock = `${path}.lock`;
  const end = Date.now() + lockTimeoutMs;
  while (!(await take(lock))) {
    if (Date.now() > end)
      throw new CommandFailed(`Another octavo is writing ${path}. If none is running any more, delete ${lock} and try again.`);
    await new Promise(resolve => setTimeout(resolve, pauseMs));
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
