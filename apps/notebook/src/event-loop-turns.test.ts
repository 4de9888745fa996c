import { expect, it } from 'vitest';
import { nextTurn } from './event-loop-turns.ts';

it('lets everything else come between two that are ready at once', async () => {
  const order: string[] = [];
  const drawn = Promise.all([1, 2, 3].map(number => nextTurn().then(() => order.push(`drawn ${number}`))));
  const others = (async () => {
    for (let turn = 1; turn <= 3; turn += 1) {
      await new Promise(resolve => setImmediate(resolve));
      order.push(`other ${turn}`);
    }
  })();
  await Promise.all([drawn, others]);
  const places = [1, 2, 3].map(number => order.indexOf(`drawn ${number}`));
  expect(places[1]! - places[0]!).toBeGreaterThan(1);
  expect(places[2]! - places[1]!).toBeGreaterThan(1);
});

it('fails for what was given up meanwhile, with its reason, and holds nobody up', async () => {
  const ending = new AbortController();
  const order: string[] = [];
  const first = nextTurn(ending.signal).catch((reason: unknown) => order.push(`first: ${reason}`));
  const second = nextTurn(new AbortController().signal).then(() => order.push('second'));
  ending.abort('the reader left');
  await Promise.all([first, second]);
  expect(order).toEqual(['first: the reader left', 'second']);
});
