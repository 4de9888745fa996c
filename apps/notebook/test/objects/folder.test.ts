import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { contentTypeOf, imageCacheControl } from '../../src/model/image.ts';
import { openFolderStore } from '../../src/objects/folder.ts';
import { type ObjectStore, ObjectStoreFailed } from '../../src/objects/object-store.ts';
import { sweepOrphanImages } from '../../src/operations/sweep-orphan-images.ts';
import { aPicture } from '../images/pictures.ts';
import { upload } from '../images/upload.ts';
import { newId } from '../store/contract/subject.ts';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { objectStoreContract } from './object-store.contract.ts';

const headers = { contentType: contentTypeOf('webp'), cacheControl: imageCacheControl };
const newKey = (notebook = newId()) => `${notebook}/${newId()}.webp`;
const bytesOf = (text: string) => Buffer.from(text);

const folders: string[] = [];
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-images-'));
  folders.push(folder);
  return folder;
}
const openStore = (folder: string) => openFolderStore({ folder, publicUrl: key => `http://localhost/images/${key}` });
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function read(store: ObjectStore, key: string): Promise<Buffer | undefined> {
  const stored = await store.get(key);
  if (!stored) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of stored) pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('the object store in a folder', () => {
  let store: ObjectStore;
  let folder: string;
  beforeAll(async () => {
    folder = join(makeFolder(), 'made', 'by itself');
    store = await openStore(folder);
  });

  describe('as every object store', () => {
    objectStoreContract(() => ({
      store,
      async fetch(key) {
        const bytes = await read(store, key);
        // The service gives the headers of the specification to each file (routes/image-file.ts).
        return bytes && { bytes, headers };
      },
    }));
  });

  it('keeps files that nobody but its account can read, and leaves no folder behind', async () => {
    const notebook = newId();
    const keys = [newKey(notebook), newKey(notebook)];
    for (const key of keys) await store.put(key, bytesOf('private'), headers);
    const parent = join(folder, notebook.slice(0, 2), notebook);
    expect(statSync(join(folder, notebook.slice(0, 2), keys[0]!)).mode & 0o777).toBe(0o600);
    for (const path of [folder, parent]) expect(statSync(path).mode & 0o777).toBe(0o700);
    await store.delete([keys[0]!]);
    expect(readdirSync(parent)).toHaveLength(1);
    await store.delete([keys[1]!]);
    expect(existsSync(parent)).toBe(false);
    expect(readdirSync(join(folder, 'incoming'))).toEqual([]);
  });

  it.each([
    '../ab/secret.webp',
    'ab/../secret.webp',
    'ab/../../secret.webp',
    '/etc/passwd.webp',
    'ab//secret.webp',
    'ab/.secret.webp',
    'ab/secret',
    'AB/secret.webp',
    'ab/se\0cret.webp',
    'ab/cd/secret.webp',
    'ab\\secret.webp',
    'a/secret.webp',
    'incoming',
    '',
    `${'a'.repeat(65)}/a.webp`,
  ])('has no object %j: nothing outside is read, written or deleted', async key => {
    const outside = join(folder, '..', 'secret.webp');
    const inside = join(folder, 'ab', 'secret.webp');
    for (const path of [outside, inside]) {
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, 'secret');
    }
    await expect(store.put(key, bytesOf('x'), headers)).rejects.toThrow(ObjectStoreFailed);
    expect(await store.get(key)).toBeUndefined();
    await store.delete([key]);
    for (const path of [outside, inside]) expect(readFileSync(path, 'utf8')).toBe('secret');
    rmSync(inside);
  });

  it('follows no link out of the folder', async () => {
    const key = newKey();
    await store.put(key, bytesOf('first'), headers);
    const place = join(folder, key.slice(0, 2), key);
    rmSync(place);
    symlinkSync('/etc/hostname', place);
    await expect(store.get(key)).rejects.toThrow('get: the folder answered ELOOP');
    const listed = await store.list(`${key.slice(0, 32)}/`);
    expect(listed.objects.map(object => object.key)).not.toContain(key);
    await store.delete([key]);
    expect(existsSync('/etc/hostname')).toBe(true);
  });

  it('takes other files for none of its own', async () => {
    const root = makeFolder();
    const own = await openStore(root);
    const key = newKey('abcd');
    await own.put(key, bytesOf('x'), headers);
    writeFileSync(join(root, 'README'), 'of the operator');
    writeFileSync(join(root, 'incoming', 'half'), 'of an upload');
    writeFileSync(join(root, 'ab', 'abcd', 'notes.text.txt'), 'x');
    mkdirSync(join(root, 'lost+found'));
    mkdirSync(join(root, 'ab', 'cd'));
    writeFileSync(join(root, 'ab', 'cd', 'x.webp'), 'x');
    expect((await own.list()).objects.map(object => object.key)).toEqual([key]);
  });

  it('deletes the others where one cannot be deleted, and says that it failed', async () => {
    const root = makeFolder();
    const own = await openStore(root);
    const [stuck, beside, another] = ['ab01/00.webp', 'ab01/11.webp', 'ab02/00.webp'];
    for (const key of [beside, another]) await own.put(key, bytesOf('x'), headers);
    // A folder in its place is no file that anybody could unlink.
    mkdirSync(join(root, 'ab', stuck));
    await expect(own.delete([stuck, beside, another])).rejects.toThrow(ObjectStoreFailed);
    expect([existsSync(join(root, 'ab', beside)), existsSync(join(root, 'ab', another))]).toEqual([false, false]);
  });

  it('drops what a process left that died at an upload, and nothing that is under way', async () => {
    const root = makeFolder();
    await openStore(root);
    const [old, young] = ['old', 'young'].map(name => join(root, 'incoming', name));
    for (const path of [old!, young!]) writeFileSync(path, 'half');
    const hoursAgo = Date.now() / 1000 - 2 * 3_600;
    utimesSync(old!, hoursAgo, hoursAgo);
    await openStore(root);
    expect(readdirSync(join(root, 'incoming'))).toEqual(['young']);
  });

  it('shows a file under its name only when all of it is there', async () => {
    const key = newKey();
    const whole = Buffer.alloc(4_000_000, 'whole');
    let done = false;
    const putting = store.put(key, whole, headers).then(() => (done = true));
    const seen = new Set<number | undefined>();
    while (!done) seen.add((await read(store, key))?.length);
    await putting;
    seen.add((await read(store, key))?.length);
    seen.delete(undefined);
    expect([...seen]).toEqual([whole.length]);
  });

  it('stores beside deletions of the same notebook by another process', async () => {
    const [one, other] = [await openStore(folder), await openStore(folder)];
    const notebook = newId();
    const goes = newKey(notebook);
    for (let round = 0; round < 40; round++) {
      const stays = newKey(notebook);
      await one.put(goes, bytesOf('goes'), headers);
      await Promise.all([other.delete([goes]), one.put(stays, bytesOf('stays'), headers)]);
      expect(String(await read(other, stays))).toBe('stays');
      await Promise.all([other.delete([stays]), one.delete([stays, goes])]);
    }
    expect(existsSync(join(folder, notebook.slice(0, 2), notebook))).toBe(false);
  });

  it('takes images once there is room, also after a start without room for a folder', async () => {
    const root = join(makeFolder(), 'images');
    const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    vi.spyOn(files, 'mkdir').mockRejectedValueOnce(full).mockRejectedValueOnce(full);
    syncBuiltinESMExports();
    const own = await openStore(root);
    const key = newKey();
    await expect(own.put(key, bytesOf('x'), headers)).rejects.toMatchObject({ isFull: true });
    await own.put(key, bytesOf('x'), headers);
    expect(String(await read(own, key))).toBe('x');
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    // A folder that goes missing later may be a disk that is not mounted: nothing is written beside it.
    rmSync(join(root, 'incoming'), { recursive: true });
    await expect(own.put(newKey(), bytesOf('x'), headers)).rejects.toThrow('put: the folder answered ENOENT');
  });

  it('says at the start that a folder cannot be written in', async () => {
    const file = join(makeFolder(), 'file');
    writeFileSync(file, '');
    await expect(openStore(join(file, 'images'))).rejects.toThrow(`IMAGE_FOLDER: cannot write in ${file}/images (ENOTDIR).`);
  });
});

describe.each(engines)('a service with IMAGE_FOLDER, on $name', engine => {
  let app: NotebookApp;
  let folder: string;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    folder = makeFolder();
    app = await startNotebookApp({ engine, env: { IMAGE_FOLDER: folder, PUBLIC_URL: 'http://localhost:9/notes' } });
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  afterAll(() => app.close());

  const filesIn = (root: string) => readdirSync(root, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());

  async function createWithImage() {
    const made = await app.create();
    const answer = await upload(app, made, await aPicture('png'));
    expect(answer.statusCode).toBe(201);
    const { url, id, bytes } = answer.json() as { url: string; id: string; bytes: number };
    return { ...made, url, id, bytes, path: new URL(url).pathname.replace('/notes', '') };
  }

  it('answers at the address of an image with the headers of the specification, and with nothing that a browser would run', async () => {
    const { url, id, bytes, path } = await createWithImage();
    expect(url).toMatch(/^http:\/\/localhost:9\/notes\/images\/[0-9a-f]{32}\/[0-9a-f]{32}\.png$/);
    const answer = await app.ask('GET', path);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(bytes),
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      etag: `"${id}"`,
    });
    expect(answer.rawPayload).toHaveLength(bytes);
    expect((await app.ask('GET', path, { headers: { 'if-none-match': `"${id}"` } })).statusCode).toBe(304);
    const head = await app.ask('HEAD', path);
    expect([head.statusCode, head.headers['content-length'], head.body]).toEqual([200, String(bytes), '']);
  });

  it.each(['../octavo.db', '%2e%2e%2foctavo.db', `${newId()}/${newId()}.png`, 'x/y', 'incoming/x.png'])(
    'has nothing at /images/%s',
    async name => {
      const answer = await app.ask('GET', `/images/${name}`);
      expect(answer.statusCode).toBe(404);
    },
  );

  it('deletes the file with its image and with its notebook, and closes the address at once', async () => {
    const [one, other] = [await createWithImage(), await createWithImage()];
    const before = filesIn(folder).length;
    const gone = await app.ask('DELETE', `/api/notebooks/${one.slug}/images/${one.id}`, { token: one.editToken });
    expect(gone.statusCode).toBe(204);
    expect((await app.ask('DELETE', `/api/notebooks/${other.slug}`, { token: other.editToken })).statusCode).toBe(200);
    expect(filesIn(folder)).toHaveLength(before - 2);
    for (const { path } of [one, other]) expect((await app.ask('GET', path)).statusCode).toBe(404);
  });

  it('serves no file without a record', async () => {
    const key = `${newId()}/${newId()}.png`;
    await app.parts.objects!.put(key, bytesOf('x'), headers);
    expect((await app.ask('GET', `/images/${key}`)).statusCode).toBe(404);
    await app.parts.objects!.delete([key]);
  });

  it('sweeps what has no notebook', async () => {
    const kept = [await createWithImage(), await createWithImage()];
    const orphan = `${newId()}/${newId()}.png`;
    await app.parts.objects!.put(orphan, bytesOf('x'), headers);
    const objects = app.parts.objects!;
    const tomorrow = () => Date.now() + 2 * 86_400_000;
    const result = await sweepOrphanImages({ store: app.parts.store, objects, now: tomorrow }, {});
    expect(result).toMatchObject({ kind: 'swept', counts: { orphans: 1, foreign: 0 } });
    expect(await objects.get(orphan)).toBeUndefined();
    for (const { path } of kept) expect((await app.ask('GET', path)).statusCode).toBe(200);
  });

  it('answers 503 when the disk is full, loses nothing, and goes on when there is room', async ({ skip }) => {
    const disk = makeFolder();
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', disk], { stdio: 'ignore' });
    } catch {
      return skip('this account may not mount a small disk');
    }
    const small = await startNotebookApp({ engine, env: { IMAGE_FOLDER: disk } });
    closing.push(async () => {
      await small.close();
      execFileSync('umount', ['-l', disk]);
    });
    const made = await small.create();
    const first = await upload(small, made, await aPicture('png'));
    expect(first.statusCode).toBe(201);
    const filler = join(disk, 'filler');
    for (let size = 1 << 20; size >= 1; ) {
      try {
        writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
      } catch {
        size = Math.floor(size / 2);
      }
    }
    const refused = await upload(small, made, await aPicture('png'));
    expect([refused.statusCode, refused.json().code]).toEqual([503, 'unavailable']);
    expect(refused.json().detail).toBe('The image store is full right now.');
    expect(readdirSync(join(disk, 'incoming'))).toEqual([]);
    const { items } = (await small.ask('GET', `/api/notebooks/${made.slug}/images`, { token: made.editToken })).json();
    expect(items.map(({ url }: { url: string }) => url)).toEqual([first.json().url]);
    expect((await small.ask('GET', new URL(first.json().url).pathname)).statusCode).toBe(200);
    rmSync(filler);
    expect((await upload(small, made, await aPicture('png'))).statusCode).toBe(201);
  });
});
