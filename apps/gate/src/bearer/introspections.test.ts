import { beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import type { OidcDoor } from '../sign-in/oidc.ts';
import { Introspections } from './introspections.ts';

const config = { id: 'corp', groupsClaim: 'groups', claims: [], trustedEmailDomains: [], clockToleranceSeconds: 30 };

test('a flood of refused tokens does not push out what is known of an accepted one', async () => {
  let asked = 0;
  const door = {
    id: 'corp',
    issuer: 'https://op.example',
    config: { ...config, accessTokens: { audience: 'api', introspection: true, cacheSeconds: 60 } },
    introspect: async (token: string) => {
      asked += 1;
      return token === 'good' ? { active: true, sub: 'robot' } : { active: false };
    },
  } as unknown as OidcDoor;
  const introspections = new Introspections(() => new Date(0));
  expect((await introspections.read('good', door, 'a'))?.identity.subject).toBe('robot');
  for (let at = 0; at < 10_001; at += 1) expect(await introspections.read(`bad-${at}`, door, `source ${at}`)).toBeUndefined();
  const before = asked;
  expect((await introspections.read('good', door, 'a'))?.identity.subject).toBe('robot');
  expect(asked).toBe(before);
});

const issuer = 'https://op.example';
const start = 1_000_000_000_000;
const yes = { active: true, sub: 'robot', scope: 'read  write', aud: 'api' };
let ms = start;
let answer: () => Promise<unknown>;
let asked: string[];
let introspections: Introspections;

beforeEach(() => {
  ms = start;
  answer = async () => yes;
  asked = [];
  introspections = new Introspections(() => new Date(ms));
});

const doorOf = (id = 'corp', accessTokens: object = { audience: 'api', introspection: true, cacheSeconds: 60 }) =>
  ({
    id,
    issuer,
    config: { ...config, id, accessTokens },
    introspect: async (token: string) => {
      asked.push(`${id} ${token}`);
      return answer();
    },
  }) as unknown as OidcDoor;
const read = (token = 't', source = 'a', door = doorOf()) => introspections.read(token, door, source);

test('an answer from before the clock was set back does not count', async () => {
  expect((await read())?.identity.subject).toBe('robot');
  answer = async () => ({ active: false });
  ms = start - 3_600_000;
  expect(await read()).toBeUndefined();
  answer = async () => yes;
  ms = start - 7_200_000;
  expect((await read())?.identity.subject).toBe('robot');
  expect(asked).toHaveLength(3);
});

describe('an answer about a token', () => {
  test('says who it is, what for and until when, and how to ask again', async () => {
    answer = async () => ({ ...yes, exp: start / 1000 + 10 });
    const token = await read('the token');
    expect(token?.identity).toMatchObject({ provider: 'corp', issuer, subject: 'robot', scopes: ['read', 'write'] });
    expect(token).toMatchObject({ expiresAt: start + 10_000, toleranceMs: 30_000 });
    expect(token?.opaque).toEqual({
      name: expect.stringMatching(/^[\w-]{43}$/),
      text: 'the token',
      provider: 'corp',
      subject: 'robot',
      askedAt: start,
    });
  });

  test('without scopes and an end has none', async () => {
    answer = async () => ({ active: true, sub: 'robot' });
    const token = await read();
    expect([token?.identity.scopes, token?.expiresAt]).toEqual([[], undefined]);
    answer = async () => ({ active: true, sub: 'robot', scope: ['read'] });
    expect((await read('other'))?.identity.scopes).toEqual([]);
  });

  test.each([
    ['active', {}, true],
    ['one of several audiences', { aud: ['x', 'api'] }, true],
    ['of no audience', { aud: undefined }, true],
    ['of the issuer', { iss: issuer }, true],
    ['over in a second', { exp: start / 1000 + 1 }, true],
    ['of an end in words', { exp: 'soon' }, true],
    ['a Bearer token', { token_type: 'Bearer' }, true],
    ['not active', { active: false }, false],
    ['active as a text', { active: 'true' }, false],
    ['for others', { aud: ['x'] }, false],
    ['of another issuer', { iss: 'https://evil.example' }, false],
    ['over now', { exp: start / 1000 }, false],
    ['of nobody', { sub: '' }, false],
    ['of a number', { sub: 7 }, false],
    ['bound to a key', { cnf: { jkt: 'x' } }, false],
    ['bound by its type', { token_type: 'dPOP' }, false],
  ])('that is %s: %j lets in: %s', async (_name, more, isGood) => {
    answer = async () => ({ ...yes, ...more });
    expect((await read()) !== undefined).toBe(isGood);
  });

  test('counts for its time, good or bad, but no longer than the token', async () => {
    for (const [more, forMs] of [
      [{}, 60_000],
      [{ active: false }, 60_000],
      [{ exp: start / 1000 + 30 }, 30_000],
      [{ exp: start / 1000 + 90 }, 60_000],
    ] as const) {
      ms = start;
      answer = async () => ({ ...yes, ...more });
      const name = JSON.stringify(more);
      await read(name);
      ms += forMs - 1;
      await read(name);
      expect(asked.splice(0)).toHaveLength(1);
      ms += 1;
      await read(name);
      expect(asked.splice(0)).toHaveLength(1);
    }
  });

  test('is not kept where nothing is to be kept', async () => {
    const door = doorOf('corp', { audience: 'api', introspection: true });
    for (const _time of [1, 2]) await read('t', 'a', door);
    expect(asked).toHaveLength(2);
  });

  test('of one provider, or about one token, is none of another', async () => {
    await read();
    await read('t', 'a', doorOf('lab'));
    await read('t2');
    expect(asked).toEqual(['corp t', 'lab t', 'corp t2']);
  });

  test('that changed replaces the one before', async () => {
    const token = await read();
    answer = async () => ({ active: false });
    ms += 60_000;
    expect(await read()).toBeUndefined();
    ms -= 1;
    expect(await read()).toBeUndefined();
    expect(introspections.lastAnswerAt(token!.opaque!)).toBe('refused');
    answer = async () => yes;
    ms += 60_001;
    expect(introspections.lastAnswerAt(token!.opaque!)).toBeUndefined();
    expect((await read())?.identity.subject).toBe('robot');
    expect(introspections.lastAnswerAt(token!.opaque!)).toBe(ms);
  });
});

describe('asking again about an open connection', () => {
  test('is good as long as it is the same subject', async () => {
    const { opaque } = (await read())!;
    expect(await introspections.isStillGood(opaque!, doorOf())).toBe(true);
    answer = async () => ({ ...yes, sub: 'another' });
    expect(await introspections.isStillGood(opaque!, doorOf())).toBe(false);
    answer = async () => ({ active: false });
    expect(await introspections.isStillGood(opaque!, doorOf())).toBe(false);
    expect(asked).toEqual(['corp t', 'corp t', 'corp t', 'corp t']);
    // A request hears of it at once.
    expect(await read()).toBeUndefined();
    expect(asked).toHaveLength(4);
    // A yes takes a no back at once, too: what is open stays open.
    answer = async () => yes;
    expect(await introspections.isStillGood(opaque!, doorOf())).toBe(true);
    expect(introspections.lastAnswerAt(opaque!)).toBe(ms);
  });
});

describe('what anybody can make us ask', () => {
  test('is one question about a token at a time', async () => {
    let say = (_answer: unknown) => {};
    answer = () => new Promise(resolve => (say = resolve));
    const both = Promise.all([read(), read()]);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    say(yes);
    expect((await both).map(token => token?.identity.subject)).toEqual(['robot', 'robot']);
    expect(asked).toHaveLength(1);
  });

  test('is so many unknown tokens of a source; those that are good cost nothing', async () => {
    for (let at = 0; at < 2 * limits.maxUnknownTokensOfASource; at += 1) await read(`good ${at}`);
    answer = async () => ({ active: false });
    for (let at = 0; at < limits.maxUnknownTokensOfASource; at += 1) await read(`bad ${at}`);
    await expect(read('bad, too')).rejects.toMatchObject({ code: 'TOO_MANY_TOKENS' });
    expect(await read('bad, too', 'b')).toBeUndefined();
    // What is known needs no question.
    expect((await read('good 1'))?.identity.subject).toBe('robot');
    expect(await read('bad 1')).toBeUndefined();
  });

  test('is so much at once of one provider, and an answer or a failure makes room', async () => {
    const waiting: PromiseWithResolvers<unknown>[] = [];
    answer = () => {
      const one = Promise.withResolvers<unknown>();
      waiting.push(one);
      return one.promise;
    };
    const all = Array.from({ length: limits.maxIntrospectionsAtOnce }, (_, at) => read(`t${at}`, `source ${at}`));
    await expect(read('one more', 'b')).rejects.toMatchObject({ code: 'TOKENS_BUSY' });
    const elsewhere = read('t', 'b', doorOf('lab'));
    waiting[0]?.resolve(yes);
    await all[0];
    const next = read('one more', 'b');
    await expect(read('and one more', 'b')).rejects.toMatchObject({ code: 'TOKENS_BUSY' });
    waiting[1]?.reject(new Error('down'));
    await expect(all[1]).rejects.toThrow('down');
    const last = read('and one more', 'b');
    for (const one of waiting) one.resolve(yes);
    expect((await Promise.all([...all.slice(2), elsewhere, next, last])).every(token => token !== undefined)).toBe(true);
  });

  test('a question that failed is asked again', async () => {
    answer = async () => {
      throw new Error('down');
    };
    await expect(read()).rejects.toThrow('down');
    answer = async () => yes;
    expect((await read())?.identity.subject).toBe('robot');
  });
});
