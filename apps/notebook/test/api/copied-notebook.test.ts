import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limits } from '../../src/limits.ts';
import { decideAccess } from '../../src/model/access.ts';
import { copyNotebook } from '../../src/operations/copy-notebook.ts';
import { TextCopy } from '../../src/operations/text-copy.ts';
import { aPage } from '../store/contract/subject.ts';
import { type OpenParts, openParts, told } from '../support/parts-in-memory.ts';

let open: OpenParts;
beforeEach(async () => {
  open = await openParts();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await open.close();
});

const readAlso = async () => 'also';

async function keep(texts: readonly string[]) {
  const { notebook, pages, editToken } = await open.keep({}, texts);
  const { store } = open.parts;
  const access = decideAccess(notebook, { editToken }, open.clock.now);
  if (access.kind !== 'owner') throw new Error('not the owner');
  const seen = { notebook, access };
  const look = async () => ({ notebook: (await store.findNotebookBySlug(notebook.slug))!, access });
  const save = (page: number, markdown: string) =>
    store.changePage(
      access.owner,
      pages[page]!.id,
      { markdown, heading: '', autosave: false, newSnapshotId: Math.random().toString(36).slice(2, 14).padEnd(12, '0') },
      open.clock.now,
    );
  return { seen, look, save, pages };
}

describe('a copy of a notebook', () => {
  it('has the pages of one moment, and what else was read then', async () => {
    const { seen, look, save, pages } = await keep(['one', 'two', 'drei ü\ufeff\n']);
    const { findPage } = open.parts.store;
    let reads = 0;
    const spy = vi.spyOn(open.parts.store, 'findPage').mockImplementation(async (...given) => {
      if (++reads === 3) {
        await save(0, 'ONE');
        await save(2, 'DREI');
      }
      return findPage(...given);
    });
    const copied = await copyNotebook(open.parts, seen, look, { readAlso });
    expect(copied.also).toBe('also');
    // Only the page that had been read too early is read again.
    expect(spy).toHaveBeenCalledTimes(4);
    await save(1, 'TWO');
    const read = async () =>
      Promise.all(copied.heads.map(async ({ id }) => (await copied.store.findPage(seen.notebook.id, id))?.markdown));
    expect(await read()).toEqual(['ONE', 'two', 'DREI']);
    expect(await copied.store.listPageHeads(seen.notebook.id)).toEqual(copied.heads);
    expect(copied.notebook.version).toBe(seen.notebook.version + 2);
    expect(await copied.store.findPage(seen.notebook.id, 'none')).toBeUndefined();
    expect(await copied.store.findPage(seen.notebook.id, pages[0]!.id)).toMatchObject({ position: 0, revision: 2 });
    await copied.close();
    await copied.close();
  });

  it('has no name in the folder, and holds its room until it is closed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'octavo-copies-'));
    vi.stubEnv('TMPDIR', folder);
    const most = limits.maxCopiedBytes;
    const page = (bytes: number) => ({ ...aPage('n', 0), markdown: 'x'.repeat(bytes) });
    const [one, other] = [(await TextCopy.open())!, (await TextCopy.open())!];
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
    const quarter = page(most / 4);
    for (let turn = 0; turn < 3; turn++) expect(await one.keep({ ...quarter, id: `${turn}` })).toBe(true);
    expect(await other.keep({ ...quarter, id: 'last' })).toBe(true);
    expect(await other.keep(page(1))).toBe(false);
    await one.close();
    expect(await other.keep(page(1))).toBe(true);
    await other.close();
    expect(await other.keep(page(1))).toBe(false);
  }, 30_000);

  it('comes from the store where no file can be written, and breaks off when a page is no longer what it was', async () => {
    vi.stubEnv('TMPDIR', '/nowhere/at/all');
    const { seen, look, save, pages } = await keep(['one', 'two', 'three']);
    const copied = await copyNotebook(open.parts, seen, look, { readAlso });
    const read = (page: number) => copied.store.findPage(seen.notebook.id, pages[page]!.id);
    await save(1, 'TWO');
    expect((await read(0))?.markdown).toBe('one');
    expect(await told(read(1))).toBe('unavailable: The notebook was changed while it was read.');
    expect((await read(2))?.markdown).toBe('three');
    await copied.close();
  });

  it('comes from the store when all copies together are too large', async () => {
    const held = (await TextCopy.open())!;
    expect(await held.keep({ ...aPage('n', 0), markdown: 'x'.repeat(limits.maxCopiedBytes - 4) })).toBe(true);
    const { seen, look, save, pages } = await keep(['one', 'two', 'three']);
    const copied = await copyNotebook(open.parts, seen, look, { readAlso });
    await held.close();
    await save(0, 'ONE');
    expect(await told(copied.store.findPage(seen.notebook.id, pages[0]!.id))).toContain('changed while it was read');
    expect((await copied.store.findPage(seen.notebook.id, pages[2]!.id))?.markdown).toBe('three');
  }, 30_000);

  it('is refused when another person changes the notebook during every reading, and to a reader who may not see it any more', async () => {
    const { seen, look, save } = await keep(['one', 'two']);
    let saves = 0;
    const always = async () => {
      await save(0, `change ${++saves}`);
      return look();
    };
    expect(await told(copyNotebook(open.parts, seen, always, { readAlso }))).toBe(
      'unavailable: The notebook is being changed right now. Try again in a moment.',
    );
    expect(saves).toBeGreaterThan(19);
    const closed = () => Promise.reject(new Error('closed'));
    await expect(copyNotebook(open.parts, seen, closed, { readAlso })).rejects.toThrow('closed');
    const room = (await TextCopy.open())!;
    expect(await room.keep({ ...aPage('n', 0), markdown: 'x'.repeat(limits.maxCopiedBytes) })).toBe(true);
    await room.close();
  }, 30_000);

  it('has only the pages that are wanted', async () => {
    const { seen, look, pages } = await keep(['one', 'two', 'three']);
    const findPage = vi.spyOn(open.parts.store, 'findPage');
    const isWanted = ({ id }: { id: string }) => id === pages[1]!.id;
    const copied = await copyNotebook(open.parts, seen, look, { readAlso, isWanted });
    expect(findPage).toHaveBeenCalledTimes(1);
    expect(copied.heads).toHaveLength(3);
    expect((await copied.store.findPage(seen.notebook.id, pages[1]!.id))?.markdown).toBe('two');
    await copied.close();
  });

  it('is shared by readers who come while the notebook is the same, and goes with the last of them', async () => {
    const { seen, look, save } = await keep(['one', 'two', 'three']);
    const findPage = vi.spyOn(open.parts.store, 'findPage');
    const close = vi.spyOn(TextCopy.prototype, 'close');
    const copy = async () => copyNotebook(open.parts, await look(), look, { readAlso });
    const textsOf = async ({ heads, store }: Awaited<ReturnType<typeof copy>>) =>
      Promise.all(heads.map(async ({ id }) => (await store.findPage(seen.notebook.id, id))?.markdown));
    const refused = copyNotebook(open.parts, seen, () => Promise.reject(new Error('closed')), { readAlso });
    const [first, second] = await Promise.all([copy(), copy(), expect(refused).rejects.toThrow('closed')]);
    await first.close();
    await first.close();
    const third = await copy();
    expect(findPage).toHaveBeenCalledTimes(3);
    await save(1, 'TWO');
    const fourth = await copy();
    expect(findPage).toHaveBeenCalledTimes(6);
    for (const copied of [second, third]) {
      expect(await textsOf(copied)).toEqual(['one', 'two', 'three']);
      await copied.close();
    }
    expect(await textsOf(fourth)).toEqual(['one', 'TWO', 'three']);
    await expect(textsOf(third)).rejects.toThrow();
    expect(close).toHaveBeenCalledTimes(1);
    await fourth.close();
    expect(close).toHaveBeenCalledTimes(2);
  });

  it('is of the state that its record says for all who share it when the notebook changes meanwhile', async () => {
    const { seen, look, save } = await keep(['one', 'two']);
    const { findPage } = open.parts.store;
    let reads = 0;
    vi.spyOn(open.parts.store, 'findPage').mockImplementation(async (...given) => {
      if (++reads === 2) await save(0, 'ONE');
      return findPage(...given);
    });
    const copies = await Promise.all([1, 2, 3].map(() => copyNotebook(open.parts, seen, look, { readAlso })));
    for (const { notebook, heads, store, close } of copies) {
      // One of them may be done before the change is kept.
      const text = notebook.version === seen.notebook.version ? 'one' : 'ONE';
      expect((await store.findPage(notebook.id, heads[0]!.id))?.markdown).toBe(text);
      await close();
    }
    // Two texts, and the one that had been read too early, for those who came first. Alone, each would read both.
    expect(reads).toBeLessThan(6);
  });

  it('takes a turn of the event loop for each long page, no matter who reads, and one for many short ones', async () => {
    const long = 'x'.repeat(70_000);
    const [one, other] = [await keep([long, long, long]), await keep([long, long])];
    const short = await keep(Array.from({ length: 40 }, () => 'short'));
    const { findPage } = open.parts.store;
    let [turn, isReading] = [0, true];
    const next = () => {
      turn += 1;
      if (isReading) setImmediate(next);
    };
    next();
    const turns: number[] = [];
    vi.spyOn(open.parts.store, 'findPage').mockImplementation(async (...given) => {
      turns.push(turn);
      return findPage(...given);
    });
    const read = async ({ seen, look }: typeof one) => (await copyNotebook(open.parts, seen, look, { readAlso })).close();
    // Without files, so that nothing else takes turns.
    vi.stubEnv('TMPDIR', '/nowhere/at/all');
    const readFromStore = async ({ seen, look, pages }: typeof one) => {
      const { store } = await copyNotebook(open.parts, seen, look, { readAlso });
      for (const { id } of pages) await store.findPage(seen.notebook.id, id);
    };
    await Promise.all([readFromStore(one), readFromStore(other)]);
    expect(turns).toHaveLength(5);
    expect(new Set(turns).size).toBe(5);
    turns.length = 0;
    await readFromStore(short);
    expect(new Set(turns).size).toBe(1);
    vi.unstubAllEnvs();
    turns.length = 0;
    await Promise.all([read(one), read(other)]);
    isReading = false;
    expect(turns).toHaveLength(5);
    expect(new Set(turns).size).toBe(5);
  });
});
