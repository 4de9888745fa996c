import { type FileHandle, open } from 'node:fs/promises';
import { devNull } from 'node:os';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Page } from '../model/notebook.ts';
import { TextCopy } from './text-copy.ts';

const page = (id: string, markdown: string): Page => ({
  id,
  notebookId: 'n',
  position: 0,
  givenTitle: '',
  heading: '',
  revision: 1,
  updatedAt: 0,
  markdown,
});

let copy: TextCopy;
let files: FileHandle;
beforeEach(async () => {
  copy = (await TextCopy.open())!;
  const file = await open(devNull);
  files = Object.getPrototypeOf(file);
  await file.close();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await copy.close();
});

it('a text is read once for all who ask for it meanwhile, each under their own head', async () => {
  const read = vi.spyOn(files, 'read');
  const kept = page('one', 'a text');
  await copy.keep(kept);
  const heads = [0, 1, 2].map(position => ({ ...kept, position }));
  expect(await Promise.all(heads.map(head => copy.find(head)))).toEqual(heads);
  expect(read).toHaveBeenCalledTimes(1);
  expect(await copy.find(kept)).toEqual(kept);
  expect(read).toHaveBeenCalledTimes(2);
});

it('a reading that fails fails for all who wait for it, and the next begins anew', async () => {
  const kept = page('one', 'a text');
  await copy.keep(kept);
  vi.spyOn(files, 'read').mockRejectedValueOnce(new Error('a bad disk'));
  const found = await Promise.allSettled([copy.find(kept), copy.find(kept)]);
  expect(found.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await copy.find(kept)).toEqual(kept);
});

it('of long texts whose readings end together, one is decoded in a turn of the event loop', async () => {
  const pages = ['1', '2', '3', '4'].map(id => page(id, id.repeat(600_000)));
  for (const kept of pages) await copy.keep(kept);
  const { read } = files;
  const readings: Promise<unknown>[] = [];
  const { promise: allBegan, resolve: allBegin } = Promise.withResolvers<void>();
  vi.spyOn(files, 'read').mockImplementation(async function (this: FileHandle, ...given: unknown[]) {
    const reading = Reflect.apply(read, this, given);
    if (readings.push(reading) === pages.length) allBegin();
    await allBegan;
    await Promise.all(readings);
    return reading;
  } as never);
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  const turns = await Promise.all(pages.map(kept => copy.find(kept).then(() => turn)));
  isOver = true;
  expect(new Set(turns).size).toBe(pages.length);
});
