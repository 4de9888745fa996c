import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecentlyUsed } from './recently-used.ts';

describe('what was recently used', () => {
  it('stays in order when entries leave its middle', () => {
    const used = new RecentlyUsed<string, number>();
    for (const [at, key] of ['a', 'b', 'c', 'd'].entries()) used.set(key, at);
    used.delete('b');
    used.get('c');
    expect(used.oldest()).toMatchObject({ key: 'a' });
    used.delete('d');
    used.delete('a');
    expect(used.oldest()).toMatchObject({ key: 'c', value: 2 });
  });

  it('is in the order of use, whatever is done to it', () => {
    const key = fc.integer({ min: 0, max: 5 });
    const step = fc.tuple(fc.constantFrom('get', 'peek', 'set', 'delete'), key);
    fc.assert(
      fc.property(fc.array(step, { minLength: 30, maxLength: 60 }), steps => {
        const used = new RecentlyUsed<number, number>();
        let order: { key: number; value: number }[] = [];
        for (const [at, [act, key]] of steps.entries()) {
          const known = order.find(one => one.key === key);
          const others = order.filter(one => one !== known);
          if (act === 'peek') expect(used.peek(key)).toBe(known?.value);
          if (act === 'get') {
            expect(used.get(key)).toBe(known?.value);
            order = known ? [...others, known] : others;
          }
          if (act === 'set') {
            used.set(key, at);
            order = [...others, { key, value: at }];
          }
          if (act === 'delete') {
            used.delete(key);
            order = others;
          }
          expect(used.size).toBe(order.length);
          expect(used.oldest()).toEqual(order[0] && expect.objectContaining(order[0]));
        }
        for (const { key, value } of order) {
          expect(used.oldest()).toMatchObject({ key, value });
          used.delete(key);
        }
        expect(used.oldest()).toBeUndefined();
      }),
    );
  });
});
