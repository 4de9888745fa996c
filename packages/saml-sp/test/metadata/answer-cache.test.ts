import { describe, expect, test } from 'vitest';
import { AnswerCache } from '../../src/idp/answer-cache.ts';
import { knownIdp } from '../support/world.ts';

const provider = (entityId: string, validUntil?: number) => ({
  ...knownIdp(),
  entityId,
  validUntil: validUntil === undefined ? undefined : new Date(validUntil),
});
const put = (cache: AnswerCache, entityId: string, now = 0) => cache.put(entityId, provider(entityId), now + 100, now);
const known = (cache: AnswerCache, now: number, ...entityIds: string[]) =>
  entityIds.filter(entityId => cache.get(entityId, now)?.provider !== undefined);

describe('what a metadata query service answered', () => {
  test('is fresh until its time, then kept for outages', () => {
    const cache = new AnswerCache(10);
    put(cache, 'a');
    expect(cache.get('a', 99)).toMatchObject({ fresh: true, provider: { entityId: 'a' } });
    expect(cache.get('a', 100)).toMatchObject({ fresh: false, provider: { entityId: 'a' } });
    expect(cache.get('b', 0)).toBeUndefined();
  });

  test('is not fresh when its own validUntil has come', () => {
    const cache = new AnswerCache(10);
    cache.put('a', provider('a', 50), 100, 0);
    expect(cache.get('a', 49)?.fresh).toBe(true);
    expect(cache.get('a', 50)?.fresh).toBe(false);
  });

  test('drops the least recently used one if there are too many', () => {
    const cache = new AnswerCache(3);
    for (const name of ['a', 'b', 'c']) put(cache, name);
    cache.get('a', 1);
    put(cache, 'd', 1);
    expect(known(cache, 1, 'a', 'b', 'c', 'd')).toEqual(['a', 'c', 'd']);
    put(cache, 'e', 1);
    put(cache, 'f', 1);
    expect(cache.size).toBe(3);
    expect(known(cache, 1, 'a', 'c', 'd', 'e', 'f')).toEqual(['d', 'e', 'f']);
  });

  test('drops an expired one before an older one that is not', () => {
    const cache = new AnswerCache(2);
    put(cache, 'a');
    cache.put('b', provider('b', 5), 100, 0);
    put(cache, 'c', 10);
    expect(known(cache, 10, 'a', 'b', 'c')).toEqual(['a', 'c']);
  });

  test('counts a renewed answer once', () => {
    const cache = new AnswerCache(2);
    for (const name of ['a', 'b', 'a', 'a']) put(cache, name);
    expect(known(cache, 0, 'a', 'b')).toEqual(['a', 'b']);
    expect(cache.size).toBe(2);
  });

  test('bounds a flood of unknown names, without displacing a provider', () => {
    const cache = new AnswerCache(3);
    put(cache, 'a');
    for (let at = 0; at < 1000; at += 1) cache.put(`x${at}`, undefined, 60, 0);
    expect(cache.size).toBe(4);
    expect(known(cache, 0, 'a')).toEqual(['a']);
    expect(cache.get('x999', 59)).toEqual({ provider: undefined, fresh: true });
    expect(cache.get('x0', 0)).toBeUndefined();
    expect(cache.get('x999', 60)).toBeUndefined();
  });

  test('forgets one that is gone, until it comes back', () => {
    const cache = new AnswerCache(3);
    put(cache, 'a');
    cache.put('a', undefined, 60, 0);
    expect(cache.get('a', 0)).toEqual({ provider: undefined, fresh: true });
    put(cache, 'a', 1);
    expect(known(cache, 1, 'a')).toEqual(['a']);
    expect(cache.size).toBe(1);
  });
});
