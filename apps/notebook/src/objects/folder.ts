import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, rename, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type ObjectStore, ObjectStoreFailed, ObjectsNotDeleted, type StoredObject } from './object-store.ts';

export interface FolderStoreOptions {
  /** Created if it does not exist. */
  readonly folder: string;
  /** The service's address for the file (routes/image-file.ts). */
  readonly publicUrl: (key: string) => string;
}

const maxListed = 1_000;

/** Holds files that are still being written, at another depth than objects, so that no listing takes them for objects. */
const incoming = 'incoming';

/** No upload takes this long: an older file was left by a process that died. */
const leftMs = 60 * 60_000;

/** Two words of lowercase letters and digits and an extension: no such name leads out of the folder, or to a hidden file. */
const keyShape = /^([0-9a-z]{2})[0-9a-z]{0,62}\/[0-9a-z]{1,64}\.[a-z]{3,4}$/;
const folderShape = /^[0-9a-z]{2,64}$/;

/**
 * Images as files in one folder, `{first two digits}/{notebook_id}/{random-hex}.{ext}`, for a service on one machine. A file appears under
 * its name only when all of it is on the disk, so several processes may write, read and sweep at the same time.
 * @throws Error when the folder cannot be created or written to
 */
export async function openFolderStore({ folder, publicUrl }: FolderStoreOptions): Promise<ObjectStore> {
  const root = resolve(folder);
  let canReceive = await prepare(root);
  const placeOf = (key: string) => {
    const [, shard] = keyShape.exec(key) ?? [];
    return shard === undefined ? undefined : join(root, shard, key);
  };

  return {
    isServedHere: true,
    publicUrl,
    async put(key, bytes) {
      const place = placeOf(key);
      if (place === undefined) throw new ObjectStoreFailed('put: the key is not one of an image');
      const temporary = join(root, incoming, randomBytes(16).toString('hex'));
      try {
        if (!canReceive) await makeIncoming(root);
        canReceive = true;
        await writeWhole(temporary, bytes);
        await moveDurably(temporary, place, root);
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {});
        throw failed('put', error);
      }
    },
    async get(key, signal) {
      signal?.throwIfAborted();
      const place = placeOf(key);
      if (place === undefined) return undefined;
      try {
        const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW);
        const bytes = file.createReadStream({ signal });
        // The signal ends the stream with an error. A reader who left before the first byte does not hear it, and it would end the process.
        return bytes.on('error', () => {});
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw failed('get', error);
      }
    },
    async delete(keys, signal) {
      signal?.throwIfAborted();
      const files = keys.map(key => ({ key, path: placeOf(key) })).filter(isPlaced);
      const stayed: NotDeleted[] = [];
      for (const [parent, some] of Map.groupBy(files, ({ path }) => dirname(path))) {
        signal?.throwIfAborted();
        stayed.push(...(await deleteIn(parent, some)));
      }
      if (stayed.length > 0)
        throw new ObjectsNotDeleted(
          stayed.map(({ key }) => key),
          codeOf(stayed[0]!.error),
        );
    },
    async list(after = '', signal) {
      signal?.throwIfAborted();
      const objects: StoredObject[] = [];
      try {
        for await (const key of keysBehind(root, after)) {
          signal?.throwIfAborted();
          const found = await describe(key, placeOf(key)!);
          if (!found) continue;
          if (objects.length === maxListed) return { objects, next: objects.at(-1)!.key };
          objects.push(found);
        }
      } catch (error) {
        signal?.throwIfAborted();
        throw failed('list', error);
      }
      return { objects };
    },
  };
}

async function makeIncoming(root: string): Promise<void> {
  await mkdir(join(root, incoming), { recursive: true, mode: 0o700 });
}

/** @returns false when there was no room even for a folder: the first upload makes it once there is */
async function prepare(root: string): Promise<boolean> {
  let canReceive = false;
  try {
    await makeIncoming(root);
    canReceive = true;
    const probe = join(root, incoming, randomBytes(16).toString('hex'));
    await writeWhole(probe, Buffer.from('octavo'));
    await unlink(probe);
    await clearIncoming(join(root, incoming));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A full disk stops uploads; reading and deleting go on.
    if (isFull(error)) return canReceive;
    throw new Error(`IMAGE_FOLDER: cannot write in ${root} (${code ?? 'unknown error'}).`, { cause: error });
  }
}

/** Removes files left by processes that died during an upload. Another process may be uploading right now. */
async function clearIncoming(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() && found.mtimeMs < Date.now() - leftMs) await rm(path, { force: true });
  }
}

/** Resolves when the bytes are on the disk, not only on the way there. Only the service's account can read them. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** How often a concurrent deletion may remove the emptied folder before this gives up. */
const maxTries = 10;

async function moveDurably(from: string, to: string, root: string): Promise<void> {
  const parent = dirname(to);
  const isNew = await moveInto(parent, from, to);
  // The folder is missing if the object was deleted right away.
  for (const folder of isNew ? [parent, dirname(parent), root] : [parent]) await syncFolder(folder).catch(ignoreMissing);
}

/** @returns whether the folder had to be created */
async function moveInto(parent: string, from: string, to: string): Promise<boolean> {
  for (let tried = 1; ; tried++) {
    try {
      const made = await mkdir(parent, { recursive: true, mode: 0o700 });
      await rename(from, to);
      return made !== undefined;
    } catch (error) {
      if (!isMissing(error) || tried === maxTries) throw error;
    }
  }
}

/** After a power failure a name exists only if its folder was synced too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

interface Placed {
  readonly key: string;
  readonly path: string;
}

function isPlaced(file: { readonly key: string; readonly path: string | undefined }): file is Placed {
  return file.path !== undefined;
}

interface NotDeleted {
  readonly key: string;
  readonly error: unknown;
}

/** A file that cannot be deleted does not hold up the others. If the folder cannot be synced, none counts as deleted. */
async function deleteIn(parent: string, files: readonly Placed[]): Promise<NotDeleted[]> {
  const stayed: NotDeleted[] = [];
  for (const { key, path } of files)
    await unlink(path)
      .catch(ignoreMissing)
      .catch(error => stayed.push({ key, error }));
  try {
    // The folder is missing if it held only these files and another process was faster.
    await syncFolder(parent).catch(ignoreMissing);
    await rmdir(parent).catch(error => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') ignoreMissing(error);
    });
  } catch (error) {
    return files.map(({ key }) => ({ key, error }));
  }
  return stayed;
}

/** In key order: a slash sorts before every character of a name. */
async function* keysBehind(root: string, after: string): AsyncGenerator<string> {
  const [afterFolder = ''] = after.split('/', 1);
  for (const shard of await namesIn(root)) {
    if (shard.length !== 2 || shard < after.slice(0, 2)) continue;
    for (const folder of await namesIn(join(root, shard))) {
      if (folder < afterFolder || !folder.startsWith(shard) || !folderShape.test(folder)) continue;
      for (const file of await namesIn(join(root, shard, folder))) {
        const key = `${folder}/${file}`;
        if (key > after && keyShape.test(key)) yield key;
      }
    }
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(nothingThere)).sort();
}

function nothingThere(error: NodeJS.ErrnoException): string[] {
  // A file that the operator put among the folders is not ours.
  if (isMissing(error) || error.code === 'ENOTDIR') return [];
  throw error;
}

async function describe(key: string, place: string): Promise<StoredObject | undefined> {
  const found = await lstat(place).catch(ignoreMissing);
  return found?.isFile() ? { key, bytes: found.size, modifiedAt: Math.floor(found.mtimeMs) } : undefined;
}

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

function isFull(error: unknown): boolean {
  return fullCodes.has((error as NodeJS.ErrnoException).code);
}

/** File system messages contain paths; codes are enough. */
function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'an unknown error';
}

function failed(what: string, error: unknown): ObjectStoreFailed {
  return new ObjectStoreFailed(`${what}: the folder answered ${codeOf(error)}`, { isFull: isFull(error) });
}
