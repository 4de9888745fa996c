import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ApiClient } from './api-client.ts';
import { sha256 } from './connect.ts';
import { readVault } from './read-vault.ts';
import { uploadImages } from './upload-images.ts';

test('images of the same name in two folders are told apart', async () => {
  const top = await mkdtemp(join(tmpdir(), 'octavo-folders-'));
  onTestFinished(() => rm(top, { recursive: true }));
  for (const name of ['one', 'other']) {
    await mkdir(join(top, name, 'img'), { recursive: true });
    await writeFile(join(top, name, 'note.md'), '![](img/a.png)');
    await writeFile(join(top, name, 'img', 'a.png'), name);
  }
  const { files, images } = await readVault([join(top, 'one'), join(top, 'other')]);
  const server = { addImage: async (_: string, bytes: Uint8Array) => ({ url: `https://i.example/${Buffer.from(bytes)}` }) };
  const terminal = { env: {}, print: () => undefined, complain: () => undefined };
  const known = { server: '', slug: 's', editToken: '', files: {} };
  const { put, missing } = await uploadImages(terminal as never, server as unknown as ApiClient, known, images, new Set());
  expect(missing).toBe(0);
  expect(files.map(file => put(file).text)).toEqual(['![](https://i.example/one)', '![](https://i.example/other)']);
});

test('of pictures that only others named, those that were uploaded before are uploaded', async () => {
  const image = (path: string) => ({ path, top: '/notes', size: 1, read: () => Buffer.from(path) });
  const [mine, theirs] = [image('mine.png'), image('theirs.png')];
  const known = { server: '', slug: 's', files: {}, images: { [sha256('mine.png')]: 'https://i.example/gone' } };
  const sent: string[] = [];
  const server = {
    listImages: async () => [],
    addImage: async (_: string, bytes: Uint8Array) => ({ url: `https://i.example/${sent.push(String(bytes))}` }),
  };
  const said: string[] = [];
  const terminal = { env: {}, print: () => undefined, complain: (text: string) => void said.push(text) };
  const others = new Set([mine, theirs]);
  const { missing } = await uploadImages(terminal, server as unknown as ApiClient, known, [mine, theirs], others);
  expect(sent).toEqual(['mine.png']);
  expect(missing).toBe(1);
  expect(said).toEqual([expect.stringMatching(/^theirs\.png: not uploaded/)]);
});
