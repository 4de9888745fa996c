import { expect, it, vi } from 'vitest';
import { Ids } from './ids.ts';

it('an id is given once; the next of the same name has a number that nobody took', () => {
  const ids = new Ids('page-');
  expect(ids.claimNext('notes')).toBe('page-notes');
  expect([ids.has('page-notes'), ids.has('notes'), ids.claim('page-notes')]).toEqual([true, false, false]);
  expect([ids.claim('page-notes-2'), ids.claim('page-notes-2')]).toEqual([true, false]);
  expect([1, 2, 3].map(() => ids.claimNext('notes'))).toEqual(['page-notes-1', 'page-notes-3', 'page-notes-4']);
  expect(ids.claimNext('notes-1')).toBe('page-notes-1-1');
  expect(ids.claimNext('others')).toBe('page-others');
  expect(ids.claimNext('others')).toBe('page-others-1');
});

it('numbers that are taken are tried once, however many equal names there are', () => {
  const ids = new Ids('');
  const claim = vi.spyOn(ids, 'claim');
  for (let at = 0; at < 1_000; at += 1) ids.claimNext('notes');
  expect(claim.mock.calls.length).toBeLessThan(2_001);
  expect(ids.has('notes-999')).toBe(true);
});
