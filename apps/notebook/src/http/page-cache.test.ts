import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FinishedPage } from './compressed.ts';
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
    // Nobody asked for the bytes as they are.
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
});
