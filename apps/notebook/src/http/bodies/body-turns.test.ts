import { beforeEach, expect, it } from 'vitest';
import { readMore } from './body-turns.ts';

const mebibyte = 1_048_576;
const laterTurn = () => new Promise<void>(resolve => setImmediate(resolve));

beforeEach(async () => {
  // What earlier tests read has its turns first.
  for (let turn = 0; turn < 5; turn += 1) await laterTurn();
});

it('lets a mebibyte come in a turn, of all bodies together, and the rest in later turns', async () => {
  const order: string[] = [];
  const read = (name: string, bytes: number) => readMore(name, bytes, () => order.push(name));
  expect([read('a', mebibyte - 1), read('b', 65_536), read('c', mebibyte - 1), read('d', 1), read('e', 1)]).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(order).toEqual(['a', 'b']);
  const others = (async () => {
    for (let turn = 1; turn <= 4; turn += 1) {
      await laterTurn();
      order.push('other');
    }
  })();
  await others;
  const [c, d, e] = ['c', 'd', 'e'].map(name => order.indexOf(name));
  expect([d! - c!, order.slice(d!, e).includes('other')]).toEqual([1, true]);
});

it('lets clients take turns, however many bodies one of them sends', async () => {
  const order: string[] = [];
  readMore('many', mebibyte, () => {});
  const { promise, resolve } = Promise.withResolvers<void>();
  for (let body = 0; body < 20; body += 1) readMore('many', mebibyte, () => order.push('many'));
  readMore('few', mebibyte, () => {
    order.push('few');
    resolve();
  });
  await promise;
  expect(order).toEqual(['many', 'few']);
  await expect.poll(() => order.length).toBe(21);
});
