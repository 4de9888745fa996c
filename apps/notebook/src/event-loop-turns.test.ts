import { expect, it } from 'vitest';
import { nextTurn, turnTaker, workFor } from './event-loop-turns.ts';

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

it('lets clients take turns, however many pieces one of them has, also after they waited for something else', async () => {
  const order: string[] = [];
  const work = (client: string) =>
    workFor(client, async () => {
      await new Promise(resolve => setImmediate(resolve));
      await nextTurn();
      order.push(client);
    });
  const flood = Array.from({ length: 100 }, () => work('many'));
  await Promise.all([...flood, work('few'), work('few')]);
  expect(order.lastIndexOf('few')).toBeLessThan(6);
});

it('gives a turn to one kind of work at a time, kind after kind, with everything else between', async () => {
  const order: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const kind = (name: string, times: number) => {
    let left = times;
    const ask = turnTaker(() => {
      order.push(name);
      left -= 1;
      if (left > 0) ask();
      else if (name === 'begins') end();
    });
    return ask;
  };
  const askToBegin = kind('begins', 3);
  const askToCommit = kind('commits', 2);
  askToBegin();
  askToBegin();
  askToCommit();
  const others = (async () => {
    for (let turn = 1; turn <= 5; turn += 1) {
      await new Promise(resolve => setImmediate(resolve));
      order.push('other');
    }
  })();
  await Promise.all([ended, others]);
  expect(order.filter(name => name !== 'other')).toEqual(['begins', 'commits', 'begins', 'commits', 'begins']);
  const places = order.flatMap((name, at) => (name === 'other' ? [] : [at]));
  for (const [index, place] of places.slice(1).entries()) expect(place - places[index]!).toBeGreaterThan(1);
});

it('goes on after work that threw', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const thrown = new Promise(told => process.setUncaughtExceptionCaptureCallback(told));
  turnTaker(() => {
    throw new Error('broken');
  })();
  turnTaker(resolve)();
  await promise;
  expect(await thrown).toMatchObject({ message: 'broken' });
  process.setUncaughtExceptionCaptureCallback(null);
});
