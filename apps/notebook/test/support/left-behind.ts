import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Records which runner's servers run in this folder; `removeLeftBehind` reads it. */
export function markFolder(folder: string): Promise<void> {
  return writeFile(join(folder, 'runner.pid'), String(process.pid));
}

export interface LeftBehindServers {
  /** Folders in the machine's folder for temporary files. */
  readonly prefix: string;
  /** Within a folder: files with a server's process id, in the order in which the servers must end. */
  readonly pidFiles: readonly string[];
  readonly signal: NodeJS.Signals;
}

/** A runner that was killed could not stop its servers: the next one stops them by process id and deletes the folder. */
export async function removeLeftBehind({ prefix, pidFiles, signal }: LeftBehindServers): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(tmpdir(), name);
    const runner = await readPid(join(folder, 'runner.pid'));
    if (runner === undefined || isAlive(runner)) continue;
    for (const file of pidFiles) {
      const server = await readPid(join(folder, file));
      if (server !== undefined && (await runsIn(server, folder))) await endServer(server, signal);
    }
    await rm(folder, { recursive: true, force: true });
  }
}

async function readPid(file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 0 ? pid : undefined;
}

/** Process ids are reused: only a server that names this folder is the one that was left behind. */
async function runsIn(pid: number, folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return isAlive(pid);
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes(folder);
}

async function endServer(pid: number, signal: NodeJS.Signals): Promise<void> {
  process.kill(pid, signal);
  for (let waited = 0; isAlive(pid) && waited < 5_000; waited += 50) await new Promise(resolve => setTimeout(resolve, 50));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
