import { describe, expect, it } from 'vitest';
import { reservedSlugs, urls } from '../urls.ts';
import { checkSlug, createId, createSlug, hashSlug, isSlug, slugRule } from './slug.ts';

describe('slugs', () => {
  it.each(['abc', 'a-b', 'a1-b2-c3', '0'.repeat(64)])('%s may be chosen', slug => expect(checkSlug(slug)).toBeUndefined());
  it.each(['ab', 'A-b', '-ab', 'ab-', 'a--b', 'a_b', 'a b', 'a.b', 'ä-ö', 'a'.repeat(65), 'abc\n', ''])('%j is invalid', slug =>
    expect(checkSlug(slug)).toBe('invalid'),
  );
  it.each([
    'new',
    'quick',
    'api',
    'search',
    'edit',
    'assets',
    'healthz',
    'robots',
    'sitemap',
    'llms',
    'notebooks',
    'admin',
    'octavo',
  ])('%s is reserved', slug => expect(checkSlug(slug)).toBe('reserved'));

  it('reserves the first segment of every path there is', () => {
    for (const make of [urls.newNotebook, urls.quick, urls.search, urls.robots, urls.llms, urls.healthz, urls.readyz]) {
      expect([...reservedSlugs]).toContain(make().slice(1).replace(/\..*/, ''));
    }
  });

  it('generates 16 evenly distributed characters', () => {
    expect(createSlug(size => crypto.getRandomValues(new Uint8Array(size)))).toMatch(/^[a-z0-9]{16}$/);
    const all = new Uint8Array(256).map((_, at) => at);
    const counts = new Map<string, number>();
    for (const letter of createId(() => all, 252)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect([...counts.values()]).toEqual(Array(36).fill(7));
  });

  it('asks for random bytes until there are enough', () => {
    const asked: number[] = [];
    const bytes = [Uint8Array.of(255, 0, 252), Uint8Array.of(251, 35, 1, 2)];
    const id = createId(size => {
      asked.push(size);
      return bytes.shift()!;
    }, 3);
    expect([id, asked]).toEqual(['a99', [6, 6]]);
  });

  it('says its rule, and keeps a freed slug as a hash alone', () => {
    expect(slugRule).toBe('must be 3 to 64 characters of a-z, 0-9 and single hyphens, none at either end');
    expect(isSlug('new')).toBe(true);
    expect(hashSlug('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
