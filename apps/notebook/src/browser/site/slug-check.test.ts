import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiSlugState } from '../../api/types.ts';
import { ApiProblem, NoConnection } from '../api/api-client.ts';
import { type SlugVerdict, slugChecker, slugFault, tidySlug } from './slug-check.ts';

describe('slugFault', () => {
  it.each(['abc', 'a-b', '123', 'a'.repeat(64)])('finds none in %j', slug => {
    expect(slugFault(slug)).toBeUndefined();
  });
  it.each([
    ['ab', 'At least 3'],
    ['a'.repeat(65), 'At most 64'],
    ['-ab', 'No hyphen'],
    ['ab-', 'No hyphen'],
    ['a--b', 'No hyphen'],
    ['a.b', 'Only the letters'],
    ['naïve', 'Only the letters'],
    ['а-cyrillic', 'Only the letters'],
    ['../etc', 'Only the letters'],
  ])('says what is wrong with %j', (slug, words) => {
    expect(slugFault(slug)).toContain(words);
  });
});

it('brings capitals and spaces into the form of a slug', () => {
  expect(tidySlug('  My Field_notes ')).toBe('my-field-notes');
});

describe('slugChecker', () => {
  let verdicts: SlugVerdict[];
  let asked: string[];
  let answer: (slug: string) => Promise<ApiSlugState>;
  let type: (typed: string) => void;

  beforeEach(() => {
    vi.useFakeTimers();
    verdicts = [];
    asked = [];
    answer = async slug => ({ slug, available: true });
    type = slugChecker(
      verdict => verdicts.push(verdict),
      slug => {
        asked.push(slug);
        return answer(slug);
      },
    );
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const pause = () => vi.advanceTimersByTimeAsync(400);

  it('asks once, a moment after the last key', async () => {
    for (const typed of ['fie', 'fiel', 'field']) type(typed);
    await pause();
    expect(asked).toEqual(['field']);
    expect(verdicts.at(-1)).toEqual({ kind: 'available', slug: 'field' });
  });

  it('asks nothing for what cannot be a slug, and nothing for nothing', async () => {
    type('a!');
    type('');
    await pause();
    expect(asked).toEqual([]);
    expect(verdicts.map(verdict => verdict.kind)).toEqual(['refused', 'empty']);
  });

  it.each([
    ['taken', 'This address is already taken.'],
    ['reserved', 'This address is reserved.'],
    ['invalid', 'This address is not possible.'],
  ] as const)('says when it is %s', async (reason, sentence) => {
    answer = async slug => ({ slug, available: false, reason });
    type('quick');
    await pause();
    expect(verdicts.at(-1)).toEqual({ kind: 'refused', sentence });
  });

  it('drops a late answer to an older question', async () => {
    answer = slug =>
      new Promise(resolve => setTimeout(() => resolve({ slug, available: slug === 'second' }), slug === 'first' ? 5_000 : 0));
    type('first');
    await pause();
    type('second');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(verdicts.at(-1)).toEqual({ kind: 'available', slug: 'second' });
    expect(verdicts.filter(verdict => verdict.kind === 'refused')).toEqual([]);
  });

  it.each([
    ['no connection', new NoConnection('down')],
    ['too many checks', new ApiProblem(new Response('', { status: 429 }), { code: 'rate_limited' })],
  ])('claims nothing when it could not learn: %s', async (_name, problem) => {
    answer = async () => {
      throw problem;
    };
    type('field');
    await pause();
    expect(verdicts.at(-1)).toMatchObject({ kind: 'unknown', sentence: expect.stringContaining('when you create it') });
  });
});
