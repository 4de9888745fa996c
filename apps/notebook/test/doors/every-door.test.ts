import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderPlain } from '../../src/markdown/plain.ts';
import type { HostileInput } from '../markdown/hostile-inputs.ts';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { type Ask, create, doors, type Subject } from './doors.ts';
import { type LongestTurn, referenceMillis, watchTurns } from './longest-turn.ts';

/** One of each kind that once was slow, or nearly; `every-door.long.ts` has them all. */
const texts: readonly HostileInput[] = [
  ['spaces before a bar', chars => `${' '.repeat(chars - 2)}|x`],
  ['blank lines before a letter', chars => `${'\n'.repeat(chars / 2)}x`],
  ['carriage returns', chars => `${'\r'.repeat(chars / 2)}x`],
  ['marks on one letter', chars => `a${'\u0301\u0316'.repeat(chars / 4 - 1)}`],
  ['long forms', chars => 'ﷺ'.repeat(chars / 3)],
  ['controls', chars => '\u0001'.repeat(chars / 6)],
  ['open brackets', chars => '[<a*_'.repeat(chars / 5)],
];

const small = 65_536;
const large = 1_048_576;
/** Below it nothing is judged: a collection of garbage takes as long. */
const floorMillis = 50;
/** A linear door takes 16 times as long for 16 times the text, a quadratic one 256 times. */
const mostGrowth = 64;

/** Texts are shown plain: rendering has threads and tests of its own. */
const renderer = { engine: 'plain', render: async (text: string) => renderPlain(text, 'time'), close: async () => {} };

/** What these are given is refused, or answered, before it gets to a database: one engine is enough, and the long run has both. */
const beforeDatabase = /^(?:create, the text as|upload|unlock$|find in the address$|header )/;

describe.each(engines)('every door on $name', engine => {
  let app: NotebookApp;
  let ask: Ask;
  let turns: LongestTurn;
  const subjects = new Map<number, Subject>();
  beforeAll(async () => {
    app = await startNotebookApp({ engine, overrides: { renderer } });
    ask = async ({ method = 'GET', path, body, raw, headers = {}, token }) => {
      const sent = raw ? { body: raw.text, headers: { ...headers, 'content-type': raw.type } } : { body, headers };
      const answer = await app.ask(method, path, { ...sent, ...(token === undefined ? {} : { token }) });
      return { status: answer.statusCode, body: answer.body };
    };
    turns = watchTurns();
    const warm = await create(ask, ['# Warm\n\nwords']);
    for (const visit of Object.values(doors)) await visit(ask, warm!);
    for (const chars of [small, large]) {
      const subject = await create(
        ask,
        texts.map(([, make]) => make(chars)),
      );
      if (!subject) throw new Error('the texts were refused');
      subjects.set(chars, subject);
    }
  }, 120_000);
  afterAll(async () => {
    turns.stop();
    await app.close();
  });

  /** The longest turn of a visit; the shorter of two, where the first one could be a moment of others. */
  async function longest(visit: (typeof doors)[string], chars: number, most: number): Promise<number> {
    let best = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 3 && best > most; tries++) {
      turns.take();
      await visit(ask, subjects.get(chars)!);
      best = Math.min(best, turns.take());
    }
    return best;
  }

  it.each(Object.entries(doors).filter(([name]) => engine.name === 'SQLite' || !beforeDatabase.test(name)))(
    '%s: its longest turn grows as the text does',
    async (_, visit) => {
      const reference = referenceMillis(small);
      const [first, second] = [Math.max(floorMillis, mostGrowth * reference), mostGrowth];
      const atSmall = await longest(visit, small, first);
      // A quadratic door stops here: with sixteen times the text it would take minutes.
      expect(atSmall).toBeLessThanOrEqual(first);
      const most = Math.max(floorMillis, second * Math.max(atSmall, reference));
      expect(await longest(visit, large, most)).toBeLessThanOrEqual(most);
    },
    120_000,
  );
});
