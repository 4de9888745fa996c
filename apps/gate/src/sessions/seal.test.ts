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
});
