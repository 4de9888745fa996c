import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FinishedPage } from './compressed.ts';
import { PageCache } from './page-cache.ts';

const noise = (size: number) =>
  Array.from({ length: size }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90))).join('');

const textOf = async (page: FinishedPage | undefined) => (await page?.in('plain'))?.toString();

afterEach(() => vi.useRealTimers());

describe('the page cache', () => {
  it('makes a page once, however many ask', async () => {
    const cache = new PageCache(1_000_000);
    let made = 0;
    const ask = () => cache.get('a', async () => `page ${++made}`);
    const all = await Promise.all([ask(), ask(), ask()]);
    expect(await textOf(await ask())).toBe('page 1');
    for (const page of all) expect(await textOf(page)).toBe('page 1');
  });

  it('keeps nothing of a page that is not there, nor of one that failed', async () => {
    const cache = new PageCache(1_000_000);
    expect(await cache.get('a', async () => undefined)).toBeUndefined();
    await expect(cache.get('a', () => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    expect(await textOf(await cache.get('a', async () => 'now'))).toBe('now');
  });

  it('lets the least recently used go first', async () => {
    const cache = new PageCache(100_000);
    for (const key of ['a', 'b', 'c', 'd']) await cache.get(key, async () => noise(8_000));
    cache.find('a');
    for (const key of ['e', 'f', 'g', 'h', 'i', 'j', 'k']) await cache.get(key, async () => noise(8_000));
    expect(cache.find('a')).toBeDefined();
    expect(cache.find('b')).toBeUndefined();
  });

  it('does not let one page push everything else out', async () => {
    const cache = new PageCache(100_000);
    await cache.get('small', async () => 'small');
    await cache.get('huge', async () => noise(200_000));
    expect(cache.find('small')).toBeDefined();
    expect(cache.find('huge')).toBeUndefined();
  });

  it('keeps a page as long as it is told, and none longer', async () => {
    const cache = new PageCache(100_000, () => {}, 50_000);
    await cache.get('long', async () => noise(40_000));
    await cache.get('longer', async () => noise(60_000));
    expect(cache.find('long')).toBeDefined();
    expect(cache.find('longer')).toBeUndefined();
  });

  it('keeps a page that was made in a bad moment only for a while', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const cache = new PageCache(100_000);
    const drawn = { html: 'shown plain', frames: false, keepMillis: 20 };
    expect(await textOf(await cache.get('a', async () => drawn))).toBe('shown plain');
    vi.advanceTimersByTime(19);
    expect(cache.find('a')).toBeDefined();
    vi.advanceTimersByTime(1);
    expect(cache.find('a')).toBeUndefined();
    expect(await textOf(await cache.get('a', async () => 'shown well'))).toBe('shown well');
  });

  it('makes only the codings that are asked for, and counts them', async () => {
    const cache = new PageCache(100_000);
    const page = (await cache.get('a', async () => noise(1_500).repeat(2)))!;
    expect(page.find('br')).toBeUndefined();
    await page.in('br');
    expect(page.find('gzip')).toBeUndefined();
    // Nobody asked for the uncompressed bytes.
    expect(page.find('plain')).toBeUndefined();
    expect((await page.in('plain')).length).toBe(3_000);
    const zipped = await page.in('gzip');
    expect(gunzipSync(zipped).equals(await page.in('plain'))).toBe(true);
    expect(page.bytes).toBeGreaterThan(3_000 + zipped.length);
    expect(cache.find('a')).toBe(page);
  });

  it('lets a page go that grew too large for it', async () => {
    const cache = new PageCache(100_000);
    const page = (await cache.get('a', async () => noise(8_000)))!;
    for (const coding of ['plain', 'br', 'gzip'] as const) await page.in(coding);
    expect(page.bytes).toBeGreaterThan(100_000 / 8);
    expect(cache.find('a')).toBeUndefined();
  });

  it('asks for room before it makes a page, and not for one that lies ready', async () => {
    let isRoom = true;
    const cache = new PageCache(100_000, () => {
      if (!isRoom) throw new Error('no room');
    });
    await cache.get('a', async () => 'ready');
    isRoom = false;
    expect(await textOf(await cache.get('a', async () => 'new'))).toBe('ready');
    await expect(cache.get('b', () => expect.unreachable())).rejects.toThrow('no room');
    isRoom = true;
    expect(await textOf(await cache.get('b', async () => 'now'))).toBe('now');
  });

  it('takes pages that are finished, in the place of those before them', async () => {
    const cache = new PageCache(100_000);
    const other = FinishedPage.of('other');
    cache.put('other', other);
    const pages = Array.from({ length: 20 }, () => FinishedPage.of(noise(8_000)));
    for (const page of pages) cache.put('a', page);
    expect([cache.find('a'), cache.find('other')]).toEqual([pages.at(-1), other]);
    expect(await cache.get('b', async () => other)).toBe(other);
    expect(cache.find('b')).toBe(other);
  });

  it('fills its bounds to the byte', () => {
    const bytes = FinishedPage.of('x'.repeat(1_000)).bytes;
    const cache = new PageCache(2 * bytes, () => {}, bytes);
    const put = (key: string, length: number) => cache.put(key, FinishedPage.of('x'.repeat(length)));
    put('a', 1_000);
    put('b', 1_000);
    put('long', 1_001);
    expect(['a', 'b', 'long'].map(key => cache.find(key) !== undefined)).toEqual([true, true, false]);
    put('c', 0);
    expect(['a', 'b', 'c'].map(key => cache.find(key) !== undefined)).toEqual([false, true, true]);
  });

  it('keeps one until there is a better one, unless that is there already', async () => {
    const cache = new PageCache(100_000);
    const better = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const drawn = (at: number) => ({ html: `plain ${at}`, frames: false, until: better[at]!.promise });
    await cache.get('a', async () => drawn(0));
    const replaced = (await cache.get('b', async () => drawn(1)))!;
    expect([cache.find('a'), cache.find('b')]).not.toContain(undefined);
    const page = FinishedPage.of('better');
    cache.put('b', page);
    for (const { resolve } of better) resolve();
    await new Promise(resolve => setImmediate(resolve));
    expect([cache.find('a'), cache.find('b')]).toEqual([undefined, page]);
    expect(page).not.toBe(replaced);
  });

  it('keeps nothing that is for no time at all', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const cache = new PageCache(100_000);
    let begun = false;
    const until = Promise.resolve();
    const watched = Object.assign(until, { finally: () => (begun = true) }) as unknown as Promise<void>;
    const page = await cache.get('a', async () => ({ html: 'one', frames: true, keepMillis: 0, until: watched }));
    expect([await textOf(page), page!.frames, cache.find('a'), begun]).toEqual(['one', true, undefined, false]);
  });

  it('has the room again of a page whose time is over', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const cache = new PageCache(100_000, () => {}, 50_000);
    cache.put('a', FinishedPage.of(noise(26_000)));
    await cache.get('b', async () => ({ html: noise(40_000), frames: false, keepMillis: 20 }));
    vi.advanceTimersByTime(20);
    expect(cache.find('b')).toBeUndefined();
    cache.put('c', FinishedPage.of(noise(30_000)));
    expect([cache.find('a'), cache.find('c')]).not.toContain(undefined);
  });

  it('counts what pages take as they grow and shrink, and nothing of those that are gone', async () => {
    const cache = new PageCache(100_000, () => {}, 50_000);
    const pages = ['a', 'b', 'c'].map(key => ({ key, page: FinishedPage.of('words '.repeat(4_300)) }));
    for (const { key, page } of pages) cache.put(key, page);
    // Compressed, they take hardly any space.
    for (const { page } of pages) await page.in('br');
    for (const key of ['d', 'e']) cache.put(key, FinishedPage.of(noise(34_000)));
    expect(['a', 'b', 'c', 'd', 'e'].map(key => cache.find(key) !== undefined)).toEqual([true, true, true, true, true]);
    // Once replaced, a page may grow freely.
    const gone = FinishedPage.of(noise(10_000));
    cache.put('a', gone);
    cache.put('a', FinishedPage.of('small'));
    for (const coding of ['plain', 'gzip', 'br'] as const) await gone.in(coding);
    expect(['b', 'c', 'd', 'e', 'a'].map(key => cache.find(key) !== undefined)).toEqual([true, true, true, true, true]);
    for (const key of ['b', 'c', 'a', 'd']) cache.find(key);
    await pages[1]!.page.in('plain');
    expect(['e', 'b', 'c', 'a', 'd'].map(key => cache.find(key) !== undefined)).toEqual([false, true, true, true, true]);
  });
});
