import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import type { OpaqueToken } from '../model/opaque-token.ts';
import type { AccessTokens } from './access-tokens.ts';
import { OpenTokens } from './open-tokens.ts';

const { openTokenEveryMs: everyMs, unconfirmedTokenMs, maxQuestionsAboutOpenTokens: atOnce } = limits;
const start = 1_000_000_000;
const tokenOf = (name: string, more: Partial<OpaqueToken> = {}): OpaqueToken => ({
  name,
  text: name,
  provider: 'corp',
  subject: 'robot',
  askedAt: start,
  ...more,
});

/** Open streams with these tokens, and a provider that answers as the test wants. */
function open(...tokens: OpaqueToken[]) {
  const streams = new Map(tokens.map(token => [token.name, token]));
  const world = {
    ms: start,
    cacheMs: 0,
    /** What a request was told meanwhile. */
    lastAnswer: undefined as number | 'refused' | undefined,
    asked: [] as string[],
    answer: async (_token: OpaqueToken): Promise<boolean> => true,
    ended: [] as string[],
    streams,
    async look(aheadMs = 0) {
      world.ms += aheadMs;
      openTokens.look(streams, accessTokens);
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    },
  };
  const accessTokens = {
    cacheMs: () => world.cacheMs,
    lastAnswerAt: () => world.lastAnswer,
    isStillGood: async (token: OpaqueToken) => {
      world.asked.push(token.name);
      return world.answer(token);
    },
  } as unknown as AccessTokens;
  const openTokens = new OpenTokens({
    now: () => new Date(world.ms),
    end: ({ name }, why) => {
      world.ended.push(`${name} ${why}`);
      streams.delete(name);
    },
  });
  return world;
}

test('a token is asked about again when its answer is so old, and not before', async () => {
  const world = open(tokenOf('a'));
  await world.look(everyMs - 1);
  expect(world.asked).toEqual([]);
  await world.look(1);
  await world.look();
  await world.look(everyMs - 1);
  expect(world.asked).toEqual(['a']);
  await world.look(1);
  expect([world.asked, world.ended]).toEqual([['a', 'a'], []]);
});

test('an answer that counts longer for requests counts longer here', async () => {
  const world = open(tokenOf('a'));
  world.cacheMs = 60_000;
  await world.look(59_999);
  expect(world.asked).toEqual([]);
  await world.look(1);
  expect(world.asked).toEqual(['a']);
});

test('a newer answer to a request is as good; an older one changes nothing', async () => {
  const world = open(tokenOf('a'));
  world.lastAnswer = start + 5_000;
  await world.look(everyMs + 4_999);
  world.lastAnswer = start - 60_000;
  await world.look();
  expect(world.asked).toEqual([]);
  await world.look(1);
  expect(world.asked).toEqual(['a']);
});

test('a token that is refused, to us or to a request, ends what it opened', async () => {
  const world = open(tokenOf('a'));
  world.answer = async () => false;
  await world.look(everyMs);
  expect(world.ended).toEqual(['a refused']);
  const other = open(tokenOf('b'));
  other.lastAnswer = 'refused';
  await other.look();
  await other.look(everyMs);
  expect([other.asked, other.ended]).toEqual([[], ['b refused']]);
});

test('a provider that cannot be asked gets a pause, and in the end nothing stays open', async () => {
  const world = open(tokenOf('a'));
  world.answer = async () => {
    throw new Error('down');
  };
  await world.look(everyMs);
  await world.look();
  await world.look(everyMs - 1);
  expect(world.asked).toHaveLength(1);
  await world.look(1);
  expect(world.asked).toHaveLength(2);
  await world.look(unconfirmedTokenMs - everyMs - 1);
  expect(world.ended).toEqual([]);
  await world.look(1);
  expect(world.ended).toEqual(['a unconfirmed']);
});

test('a yes after a failure starts the time anew', async () => {
  const world = open(tokenOf('a'));
  const down = async () => {
    throw new Error('down');
  };
  world.answer = down;
  await world.look(everyMs);
  world.answer = async () => true;
  await world.look(everyMs);
  world.answer = down;
  await world.look(everyMs);
  await world.look(unconfirmedTokenMs - 1);
  expect(world.ended).toEqual([]);
  await world.look(1);
  expect(world.ended).toEqual(['a unconfirmed']);
});

test('a newer answer to a request does so, too', async () => {
  const world = open(tokenOf('a'));
  world.answer = async () => {
    throw new Error('down');
  };
  await world.look(everyMs);
  world.lastAnswer = world.ms;
  await world.look();
  await world.look(everyMs);
  await world.look(unconfirmedTokenMs - 1);
  expect(world.ended).toEqual([]);
});

test('a machine that slept asks before it closes anything, and a clock that was set back waits for nothing', async () => {
  const world = open(tokenOf('a'));
  await world.look(3_600_000);
  expect([world.asked, world.ended]).toEqual([['a'], []]);
  await world.look(-7_200_000);
  expect([world.asked, world.ended]).toEqual([['a', 'a'], []]);
});

test('time that a wrong clock counted is not counted', async () => {
  const world = open(tokenOf('a'));
  world.answer = () => new Promise(() => {});
  await world.look(everyMs);
  // Set back: what is due waits from now on, not from a time that is to come.
  await world.look(-3_600_000);
  await world.look(unconfirmedTokenMs);
  expect(world.ended).toEqual(['a unconfirmed']);
});

test('one question about a token at a time, and so many to one provider', async () => {
  const many = Array.from({ length: atOnce + 1 }, (_, at) => tokenOf(`t${at}`));
  const world = open(...many, tokenOf('elsewhere', { provider: 'other' }));
  let yes = () => {};
  world.answer = () => new Promise(resolve => (yes = () => resolve(true)));
  await world.look(everyMs);
  expect(world.asked).toEqual([...many.slice(0, atOnce).map(({ name }) => name), 'elsewhere']);
  await world.look();
  expect(world.asked).toHaveLength(atOnce + 1);
  // The last question, which was to the other provider, makes no room at this one.
  yes();
  await world.look();
  expect(world.asked).toHaveLength(atOnce + 1);
});

test('an answer makes room for the next question', async () => {
  const many = Array.from({ length: atOnce + 1 }, (_, at) => tokenOf(`t${at}`));
  const world = open(...many);
  await world.look(everyMs);
  expect(world.asked).toHaveLength(atOnce);
  await world.look();
  expect(world.asked).toHaveLength(atOnce + 1);
});

test('an answer about streams that are closed says nothing about new ones of the same token', async () => {
  const world = open(tokenOf('a'));
  let no = () => {};
  world.answer = () => new Promise(resolve => (no = () => resolve(false)));
  await world.look(everyMs);
  world.streams.delete('a');
  await world.look();
  world.streams.set('a', tokenOf('a', { askedAt: world.ms }));
  await world.look();
  no();
  await world.look();
  expect(world.ended).toEqual([]);
});
