import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { currentClient, workFor } from '../../event-loop-turns.ts';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import { type BatchableSave, batchSaves, type PlacedAnswer } from './batch-saves.ts';

interface Save extends BatchableSave {
  readonly name: string;
}
interface Answer {
  readonly place: number;
  readonly kind: string;
  readonly name: string;
}
interface Sent {
  readonly names: readonly string[];
  readonly slots: readonly (string | null)[];
  readonly waits: boolean;
  answer(kinds?: Record<string, string>): Promise<void>;
  fail(error: unknown): Promise<void>;
}

const one = (name: string, over: Partial<Save> = {}): Save => ({
  name,
  notebook: name,
  text: 'text',
  slotName: 'contentWrite',
  slotKey: name,
  ...over,
});

/** Lets answers arrive and waiting saves be sent. */
const turns = async () => {
  await nextTurn();
  await nextTurn();
};

/** A server that answers when told to. */
function open(options = { maxSaves: 16, maxChars: 100, maxUnderWay: 1, share: 4 }) {
  const sent: Sent[] = [];
  const said: Record<string, string> = {};
  const save = batchSaves<Save, Answer>(
    (saves, waits) =>
      new Promise((resolve, reject) => {
        sent.push({
          names: saves.map(({ name }) => name),
          slots: saves.map(({ slotKey }) => slotKey),
          waits,
          async answer(kinds = {}) {
            resolve(saves.map(({ name }, at) => ({ place: at + 1, kind: kinds[name] ?? 'changed', name })).reverse());
            await turns();
          },
          async fail(error) {
            reject(error);
            await turns();
          },
        });
      }),
    options,
  );
  const ask = async (...saves: Save[]) => {
    for (const each of saves)
      save(each).then(
        ({ kind, name }) => {
          said[each.name] = name === each.name ? kind : `the answer of ${name}`;
        },
        error => {
          said[each.name] = (error as Error).message;
        },
      );
    await nextTurn();
  };
  return { sent, said, ask, names: () => sent.map(({ names }) => names.join(' ')) };
}

it('saves wait for their turn in nobody’s line, together and alone', async () => {
  const names: (string | undefined)[] = [];
  const save = batchSaves<Save, Answer>(async saves => {
    names.push(currentClient());
    return saves.map(({ name }, at) => ({ place: at + 1, kind: saves.length > 1 ? 'busy' : 'changed', name }));
  });
  await Promise.all(['a', 'b'].map(name => workFor(name, () => save(one(name)))));
  expect(names).toEqual([undefined, undefined, undefined]);
});

describe('saves that arrive together', () => {
  it('go together, in the order of their slots, and each gets the answer to itself', async () => {
    const { sent, said, ask, names } = open();
    await ask(one('c'), one('a'), one('b'));
    expect(names()).toEqual(['a b c']);
    await sent[0]!.answer({ b: 'stale' });
    expect(said).toEqual({ a: 'changed', b: 'stale', c: 'changed' });
  });

  it('wait while others are under way, and then go together', async () => {
    const { sent, ask, names } = open();
    await ask(one('a'));
    await ask(one('b'));
    await ask(one('c'));
    expect(names()).toEqual(['a']);
    await sent[0]!.answer();
    expect(names()).toEqual(['a', 'b c']);
  });

  it('are spread over the statements that are free, in groups that are worth it', async () => {
    const { ask, names } = open({ maxSaves: 16, maxChars: 100, maxUnderWay: 3, share: 2 });
    await ask(...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(name => one(name)));
    expect(names()).toEqual(['a b c', 'd e', 'f g']);
    const few = open({ maxSaves: 16, maxChars: 100, maxUnderWay: 3, share: 2 });
    await few.ask(one('a'), one('b'));
    expect(few.names()).toEqual(['a b']);
  });

  it('are no more than a statement takes, and long texts go alone', async () => {
    const { sent, ask, names } = open({ maxSaves: 2, maxChars: 100, maxUnderWay: 1, share: 4 });
    const long = { text: 'x'.repeat(98) };
    await ask(one('a'), one('b'), one('c'), one('d', long), one('e', long));
    for (let at = 0; at < 4; at++) await sent[at]?.answer();
    expect(names()).toEqual(['a b', 'c', 'd', 'e']);
  });

  it('are as long together as a statement takes, and one that is longer goes all the same', async () => {
    const { sent, ask, names } = open({ maxSaves: 16, maxChars: 100, maxUnderWay: 1, share: 4 });
    await ask(
      one('a', { text: 'x'.repeat(50) }),
      one('b', { text: 'x'.repeat(50) }),
      one('c', { text: 'x'.repeat(101) }),
      one('d', { text: null }),
    );
    for (let at = 0; at < 3; at++) await sent[at]?.answer();
    expect(names()).toEqual(['a b d', 'c']);
  });

  it('go without a slot first, then by its name and its key', async () => {
    const { ask, names } = open();
    const free = { slotName: null, slotKey: null };
    await ask(
      one('a', { slotName: 'x' }),
      one('b', { slotKey: '2' }),
      one('c', { slotKey: '1' }),
      one('d', free),
      one('e', { slotName: 'a' }),
    );
    expect(names()).toEqual(['d e c b a']);
  });

  it('that get no answer say so, together and alone', async () => {
    const answers: PlacedAnswer[][] = [[{ place: 1, kind: 'busy' }], []];
    const save = batchSaves<Save, PlacedAnswer>(async () => answers.shift() ?? []);
    const asked = [one('a'), one('b')].map(each => save(each).catch((error: Error) => error.message));
    expect(await Promise.all(asked)).toEqual(['A save got no answer.', 'A save got no answer.']);
  });

  it('of one notebook are not under way in two statements', async () => {
    const { sent, ask, names } = open({ maxSaves: 16, maxChars: 100, maxUnderWay: 2, share: 4 });
    await ask(one('a', { notebook: 'n' }), one('b', { notebook: 'n' }), one('c'));
    await ask(one('d', { notebook: 'n' }), one('e'));
    expect(names()).toEqual(['a b c', 'e']);
    await sent[0]!.answer();
    expect(names()).toEqual(['a b c', 'e', 'd']);
  });
});

describe('a save whose notebook another transaction holds', () => {
  it('waits alone, and its slot is not counted twice', async () => {
    const { sent, said, ask } = open();
    await ask(one('a'), one('b'));
    expect(sent[0]!.waits).toBe(false);
    await sent[0]!.answer({ a: 'busy' });
    expect(said).toEqual({ b: 'changed' });
    expect(sent[1]).toMatchObject({ names: ['a'], slots: [null], waits: true });
    await sent[1]!.answer({ a: 'stale' });
    expect(said).toEqual({ a: 'stale', b: 'changed' });
  });

  it('keeps no other from being sent, of its own notebook either', async () => {
    const { sent, ask, names } = open();
    await ask(one('a', { notebook: 'n' }));
    await ask(one('b', { notebook: 'n' }));
    await sent[0]!.answer({ a: 'busy' });
    expect(names()).toEqual(['a', 'a', 'b']);
  });
});

describe('saves whose statement fails', () => {
  it('are each tried alone where nothing was saved: what is wrong with one is its own', async () => {
    const { sent, said, ask } = open();
    await ask(one('a'), one('b'));
    await sent[0]!.fail(new Error('a is broken'));
    expect(sent.slice(1)).toMatchObject([
      { names: ['a'], slots: ['a'], waits: true },
      { names: ['b'], slots: ['b'], waits: true },
    ]);
    await sent[1]!.fail(new Error('a is broken'));
    await sent[2]!.answer();
    expect(said).toEqual({ a: 'a is broken', b: 'changed' });
  });

  it.each(['55P03', '40001', '40P01'])('are tried alone after %s, which one of them may have met', async code => {
    const { sent, said, ask } = open();
    await ask(one('a'), one('b'));
    await sent[0]!.fail(new DatabaseUnavailable(Object.assign(new Error('undone'), { code })));
    await sent[1]!.answer();
    await sent[2]!.answer();
    expect(said).toEqual({ a: 'changed', b: 'changed' });
    const single = open();
    await single.ask(one('a'));
    await single.sent[0]!.fail(new DatabaseUnavailable(Object.assign(new Error('undone'), { code })));
    expect(single.sent[1]).toMatchObject({ names: ['a'], slots: ['a'], waits: true });
    await single.sent[1]!.answer();
    expect(single.said).toEqual({ a: 'changed' });
  });

  it('are all told so where nobody knows what was saved, and where the server is away', async () => {
    for (const uncertain of [true, false]) {
      const { sent, said, ask } = open();
      await ask(one('a'), one('b'));
      const error = new DatabaseUnavailable(Object.assign(new Error('lost'), { code: '57P01' }), uncertain);
      await sent[0]!.fail(error);
      expect(sent).toHaveLength(1);
      expect(said).toEqual({ a: error.message, b: error.message });
    }
  });

  it('alone are not tried again', async () => {
    const { sent, said, ask } = open();
    await ask(one('a'));
    await sent[0]!.fail(new Error('a is broken'));
    expect(sent).toHaveLength(1);
    expect(said).toEqual({ a: 'a is broken' });
  });

  it('let the next ones go', async () => {
    const { sent, ask, names } = open();
    await ask(one('a'));
    await ask(one('b'), one('a', { name: 'again' }));
    await sent[0]!.fail(new DatabaseUnavailable(new Error('lost'), true));
    expect(names()).toEqual(['a', 'again b']);
  });
});
