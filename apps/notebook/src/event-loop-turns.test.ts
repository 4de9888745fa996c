import { describe, expect, it } from 'vitest';
import { atTurnEnd, limitPerTurn, nextTurn, turnTaker, workFor } from './event-loop-turns.ts';

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

describe('small work that is limited in each turn', () => {
  const turn = () => new Promise(resolve => setImmediate(resolve));

  it('begins at once while there is room, and the rest in later turns, in order', async () => {
    const limit = limitPerTurn(3);
    const done: number[] = [];
    for (let number = 1; number <= 8; number += 1) limit(() => done.push(number));
    const seen = [done.length];
    while (done.length < 8) {
      await turn();
      seen.push(done.length);
    }
    expect(done).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(seen.map((count, at) => count - (seen[at - 1] ?? 0)).filter(more => more > 0)).toEqual([3, 3, 2]);
  });

  it('has room again after a turn', async () => {
    const limit = limitPerTurn(2);
    let done = 0;
    for (let round = 1; round <= 3; round += 1) {
      for (let number = 1; number <= 2; number += 1) limit(() => (done += 1));
      expect(done).toBe(2 * round);
      await turn();
      await turn();
    }
  });

  it('is counted by what it costs', async () => {
    const limit = limitPerTurn(4);
    const done: string[] = [];
    limit(() => done.push('large'), 10);
    limit(() => done.push('first'));
    expect(done).toEqual(['large']);
    limit(() => done.push('second'), 4);
    limit(() => done.push('third'));
    while (done.length === 1) await turn();
    expect(done).toEqual(['large', 'first', 'second']);
    while (done.length === 3) await turn();
    expect(done).toEqual(['large', 'first', 'second', 'third']);
  });

  it('may ask for more, which takes its place behind what waits', async () => {
    const limit = limitPerTurn(2);
    const done: string[] = [];
    for (const name of ['first', 'second']) limit(() => done.push(name));
    limit(() => {
      done.push('third');
      limit(() => done.push('fifth'));
    });
    limit(() => done.push('fourth'));
    while (done.length < 5) await turn();
    expect(done).toEqual(['first', 'second', 'third', 'fourth', 'fifth']);
  });
});

describe('work gathered until the end of a turn', () => {
  const turn = () => new Promise(resolve => setImmediate(resolve));

  it('is done once for all who ask, and again in the next turn', async () => {
    let done = 0;
    const ask = atTurnEnd(() => (done += 1));
    for (let count = 1; count <= 3; count += 1) ask();
    await Promise.resolve();
    expect(done).toBe(0);
    await turn();
    expect(done).toBe(1);
    ask();
    expect(done).toBe(1);
    await turn();
    expect(done).toBe(2);
  });

  it('is done at once for a second after it waited for more than 8 ms', async () => {
    let [now, done] = [0, 0];
    const ask = atTurnEnd(
      () => (done += 1),
      () => now,
    );
    ask();
    now = 8;
    await turn();
    ask();
    expect(done).toBe(1);
    now = 17;
    await turn();
    expect(done).toBe(2);
    for (const at of [17, 1_016]) {
      now = at;
      ask();
    }
    expect(done).toBe(4);
    now = 1_017;
    ask();
    expect(done).toBe(4);
    await turn();
    expect(done).toBe(5);
  });
});
