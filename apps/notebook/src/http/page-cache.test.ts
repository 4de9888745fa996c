import { afterEach, describe, expect, it, vi } from 'vitest';
import { PageCache } from './page-cache.ts';

const noise = (size: number) =>
  Array.from({ length: size }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90))).join('');

afterEach(() => vi.useRealTimers());

describe('the page cache', () => {
  it('makes a page once, however many ask', async () => {
    const cache = new PageCache(1_000_000);
    let made = 0;
    const ask = () => cache.get('a', async () => `page ${++made}`);
    const all = await Promise.all([ask(), ask(), ask()]);
    expect((await ask())?.plain.toString()).toBe('page 1');
    expect(all.every(page => page?.plain.toString() === 'page 1')).toBe(true);
  });

  it('keeps nothing of a page that is not there, nor of one that failed', async () => {
    const cache = new PageCache(1_000_000);
    expect(await cache.get('a', async () => undefined)).toBeUndefined();
    await expect(cache.get('a', () => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    expect((await cache.get('a', async () => 'now'))?.plain.toString()).toBe('now');
  });

  it('lets the least recently used go first', async () => {
    const cache = new PageCache(100_000);
    for (const key of ['a', 'b', 'c', 'd']) await cache.get(key, async () => noise(4_000));
    cache.find('a');
    for (const key of ['e', 'f', 'g', 'h', 'i', 'j', 'k']) await cache.get(key, async () => noise(4_000));
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

  it('keeps a page that was made in a bad moment only for a while', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const cache = new PageCache(100_000);
    const drawn = { html: 'shown plain', keepMillis: 20 };
    expect((await cache.get('a', async () => drawn))?.plain.toString()).toBe('shown plain');
    vi.advanceTimersByTime(19);
    expect(cache.find('a')).toBeDefined();
    vi.advanceTimersByTime(1);
    expect(cache.find('a')).toBeUndefined();
    expect((await cache.get('a', async () => 'shown well'))?.plain.toString()).toBe('shown well');
  });
});
