import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { zipStream } from '../../src/http/answers/zip-stream.ts';
import { contentTypeOf, type Image, imageCacheControl } from '../../src/model/image.ts';
import { openFolderStore } from '../../src/objects/folder.ts';
import type { ObjectStore } from '../../src/objects/object-store.ts';
import type { RouteContext } from '../../src/routes/context.ts';
import { imageFileRoutes } from '../../src/routes/image-file.ts';
import { newId } from '../store/contract/subject.ts';

// An open file that nobody closes ends the process when it is garbage-collected (Node 25 and later), and so does an error that nobody hears.

const folder = mkdtempSync(join(tmpdir(), 'octavo-left-readers-'));
const [notebookId, id] = [newId(), newId()];
const key = `${notebookId}/${id}.webp`;
let store: ObjectStore;
beforeAll(async () => {
  store = await openFolderStore({ folder, publicUrl: key => `http://localhost/images/${key}` });
  await store.put(key, Buffer.alloc(200_000, 7), { contentType: contentTypeOf('webp'), cacheControl: imageCacheControl });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of the folder that this process has open. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap(fd => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(folder) ? [file] : [];
    } catch {
      return [];
    }
  });
}

/** Errors that nobody hears until the test ends. */
function unheardErrors(): unknown[] {
  const errors: unknown[] = [];
  const listeners = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', error => errors.push(error));
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
  });
  return errors;
}

it('an image that nobody has begun to read is closed when its reader is gone, without an error', async () => {
  const errors = unheardErrors();
  const gone = new AbortController();
  expect(await store.get(key, gone.signal)).toBeDefined();
  expect(openFiles()).toHaveLength(1);
  gone.abort();
  await expect.poll(openFiles).toEqual([]);
  const during = new AbortController();
  const found = store.get(key, during.signal);
  during.abort();
  await found.catch(() => {});
  await expect.poll(openFiles).toEqual([]);
  await new Promise(resolve => setTimeout(resolve, 50));
  expect(errors).toEqual([]);
});

it('a reader who leaves a book at the beginning of an image leaves no open file and no error', async () => {
  const errors = unheardErrors();
  const gone = new AbortController();
  async function* files() {
    yield { path: 'image.webp', content: (await store.get(key, gone.signal))!, packed: true };
  }
  const book = zipStream(files(), 0);
  // The header of the image's file.
  expect((await book.next()).value!.toString('latin1')).toContain('image.webp');
  gone.abort();
  await book.return(undefined);
  await expect.poll(openFiles).toEqual([]);
  await new Promise(resolve => setTimeout(resolve, 50));
  expect(errors).toEqual([]);
});

it('an image whose reader left before it was opened is closed', async () => {
  const errors = unheardErrors();
  const app = Fastify();
  let opened = 0;
  let leave = async () => {};
  const slow: ObjectStore = {
    ...store,
    async get(...given) {
      const found = await store.get(...given);
      opened += 1;
      await leave();
      return found;
    },
  };
  const image: Image = { id, notebookId, key, type: 'webp', bytes: 200_000, width: 1, height: 1, createdAt: 0 };
  const findImage = async () => ({ image, notebook: { expiresAt: null, takenDownAt: null } });
  imageFileRoutes(app, { parts: { store: { findImage }, objects: slow, now: () => 0 } } as unknown as RouteContext);
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  leave = async () => {
    socket.destroy();
    await expect.poll(() => [...connections].every(({ closed }) => closed)).toBe(true);
  };
  const connections = new Set<net.Socket>();
  app.server.on('connection', connection => connections.add(connection));
  const socket = net.connect(port, '127.0.0.1', () => socket.write(`GET /images/${key} HTTP/1.1\r\nhost: x\r\n\r\n`));
  await expect.poll(() => opened).toBe(1);
  await expect.poll(openFiles).toEqual([]);
  leave = async () => {};
  const whole = await fetch(`${address}/images/${key}`);
  expect((await whole.arrayBuffer()).byteLength).toBe(200_000);
  await expect.poll(openFiles).toEqual([]);
  expect(errors).toEqual([]);
  await app.close();
});
