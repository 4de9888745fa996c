import { describe, expect, test } from 'vitest';
import { Sealer } from './seal.ts';

const one = 'the first key of these tests, long enough';
const two = 'the second key of these tests, long enough';

describe('a sealed text', () => {
  test('opens for its purpose and for no other', () => {
    const sealer = new Sealer([one]);
    const sealed = sealer.seal('hello ä', 'cookie');
    expect(sealer.open(sealed, 'cookie')).toBe('hello ä');
    expect(sealer.open(sealed, 'value')).toBeUndefined();
    expect(sealed).not.toContain(Buffer.from('hello').toString('base64url'));
    expect(sealer.seal('hello ä', 'cookie')).not.toBe(sealed);
  });

  test('with any bit changed, any byte cut or added, opens for nobody', () => {
    const sealer = new Sealer([one]);
    const bytes = Buffer.from(sealer.seal('session', 'cookie'), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      expect(sealer.open(changed.toString('base64url'), 'cookie')).toBeUndefined();
    }
    for (let length = 0; length < bytes.length; length += 1)
      expect(sealer.open(bytes.subarray(0, length).toString('base64url'), 'cookie')).toBeUndefined();
    expect(sealer.open(`${bytes.toString('base64url')}A`, 'cookie')).toBeUndefined();
    expect(sealer.open(`${bytes.toString('base64url')}==`, 'cookie')).toBeUndefined();
    expect(sealer.open('', 'cookie')).toBeUndefined();
  });

  test('an old key opens what it sealed, and says that it is old; a removed key opens nothing', () => {
    const old = new Sealer([one]).seal('x', 'cookie');
    const rotated = new Sealer([two, one]);
    expect(rotated.open(old, 'cookie')).toBe('x');
    expect([rotated.isOld(old), rotated.isOld(rotated.seal('x', 'cookie'))]).toEqual([true, false]);
    expect(new Sealer([two]).open(old, 'cookie')).toBeUndefined();
  });

  test('of an older program opens: everybody would be signed out otherwise', () => {
    const sealed = 'ATSMuO3lvBwoY8eQIxIeNpmWvTfVne4uagS7XSuZ4RZN1586IX02wQ';
    expect(new Sealer([two, one]).open(sealed, 'session cookie')).toBe('kept é');
  });

  test('may be empty', () => {
    const sealer = new Sealer([one]);
    expect(sealer.open(sealer.seal('', 'cookie'), 'cookie')).toBe('');
  });

  test('by a key that is not there is told apart from those by our keys, and from what is no seal', () => {
    const sealed = new Sealer([one]).seal('x', 'cookie');
    expect(new Sealer([two]).isOfOtherKey(sealed)).toBe(true);
    for (const keys of [[one], [two, one], [one, two]]) expect(new Sealer(keys).isOfOtherKey(sealed)).toBe(false);
    const other = Buffer.from(sealed, 'base64url');
    other[0] = 2;
    expect(new Sealer([two]).isOfOtherKey(other.toString('base64url'))).toBe(false);
    expect(new Sealer([two]).isOfOtherKey('')).toBe(false);
  });
});
