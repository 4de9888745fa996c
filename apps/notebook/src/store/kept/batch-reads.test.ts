import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { currentClient, workFor } from '../../event-loop-turns.ts';
import { batchReads } from './batch-reads.ts';

interface Row {
  readonly key: string;
  readonly value: string;
}

/** A server that answers when told to. Every key has a row except `none`. */
function server(options = { maxKeys: 3, maxUnderWay: 1 }) {
  const asked: string[][] = [];
  const answers: ((fails?: Error) => void)[] = [];
  const find = batchReads<Row>(
    keys => {
      asked.push([...keys]);
      const number = asked.length;
      return new Promise((resolve, reject) => {
        answers.push(fails => {
          if (fails) reject(fails);
          // In no order.
          else
            resolve(
              keys
                .filter(key => key !== 'none')
                .map(key => ({ key, value: `${key} ${number}` }))
                .toReversed(),
            );
        });
      });
    },
    row => row.key,
    options,
  );
  return { asked, answers, value: async (key: string) => (await find(key))?.value };
}

describe('reads gathered', () => {
  it('wait for their turn in nobody’s line, because they are for many', async () => {
    const names: (string | undefined)[] = [];
    const find = batchReads<Row>(
      async () => {
        names.push(currentClient());
        return [];
      },
      row => row.key,
      { maxKeys: 3, maxUnderWay: 1 },
    );
    await Promise.all([workFor('many', () => find('a')), workFor('few', () => find('b'))]);
    expect(names).toEqual([undefined]);
  });

  it.each([undefined, new Error('gone')])(
    'that many share let 64 of them go on in a turn, and clients take turns: %s',
    async fails => {
      const { asked, answers, value } = server();
      const turns: { client: string | undefined; turn: number }[] = [];
      let turn = 0;
      const wait = (client: string) =>
        workFor(client, async () => {
          await value('a').catch(() => {});
          turns.push({ client: currentClient(), turn });
        });
      const all = [...Array.from({ length: 150 }, () => wait('many')), wait('few')];
      await expect.poll(() => asked.length).toBe(1);
      answers[0]!(fails);
      while (turns.length < all.length) {
        await nextTurn();
        turn += 1;
      }
      const counts = Map.groupBy(turns, one => one.turn);
      expect(Math.max(...[...counts.values()].map(({ length }) => length))).toBe(64);
      // Behind those who go on at once, not behind all who came before.
      const few = turns.findIndex(({ client }) => client === 'few');
      expect(few).toBeLessThan(67);
    },
  );

  it('of one turn are one statement, with each key once and each reader its own row', async () => {
    const { asked, answers, value } = server();
    const all = Promise.all([value('a'), value('none'), value('b'), value('a')]);
    await nextTurn();
    expect(asked).toEqual([['a', 'none', 'b']]);
    answers[0]!();
    expect(await all).toEqual(['a 1', undefined, 'b 1', 'a 1']);
  });

  it('get nothing of a statement that began before they were asked for', async () => {
    const { asked, answers, value } = server();
    const first = value('a');
    await nextTurn();
    const later = value('a');
    await nextTurn();
    expect(asked).toHaveLength(1);
    answers[0]!();
    expect(await first).toBe('a 1');
    await nextTurn();
    expect(asked).toEqual([['a'], ['a']]);
    answers[1]!();
    expect(await later).toBe('a 2');
  });

  it('are no more than fit a statement, and no more statements than may be under way', async () => {
    const { asked, answers, value } = server({ maxKeys: 2, maxUnderWay: 2 });
    const all = ['a', 'b', 'c', 'd', 'e'].map(value);
    await nextTurn();
    expect(asked).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    answers[1]!();
    expect(await Promise.all(all.slice(2, 4))).toEqual(['c 2', 'd 2']);
    await nextTurn();
    expect(asked[2]).toEqual(['e']);
    answers[0]!();
    answers[2]!();
    expect(await Promise.all(all)).toEqual(['a 1', 'b 1', 'c 2', 'd 2', 'e 3']);
  });

  it('are sent at once after a long turn, and those that come meanwhile together', async () => {
    const { asked, answers, value } = server();
    const first = value('a');
    for (const until = performance.now() + 10; performance.now() < until; );
    await nextTurn();
    answers[0]!();
    await first;
    const all = Promise.all(['b', 'c', 'd'].map(value));
    expect(asked).toEqual([['a'], ['b']]);
    answers[1]!();
    await expect.poll(() => asked.length).toBe(3);
    expect(asked[2]).toEqual(['c', 'd']);
    answers[2]!();
    expect(await all).toEqual(['b 2', 'c 3', 'd 3']);
  });

  it('that fail fail together, and the next ones are asked for all the same', async () => {
    const { answers, value } = server();
    const both = Promise.allSettled([value('a'), value('b')]);
    await nextTurn();
    const next = value('a');
    answers[0]!(new Error('no connection'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await nextTurn();
    answers[1]!();
    expect(await next).toBe('a 2');
  });
});
