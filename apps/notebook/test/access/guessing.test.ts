import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { networkOf } from '../../src/http/addresses/client-ip.ts';
import { createPasswords, type Passwords } from '../../src/operations/passwords.ts';
import { engines } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

// Mostly they wait, so they do it side by side.
describe.concurrent.each(engines)('guesses at a password from many networks on $name', engine => {
  let app: NotebookApp;
  /** The passwords that were compared. */
  const compared: string[] = [];
  const comparedOf = (words: string) => compared.filter(password => password.startsWith(words)).length;
  beforeAll(async () => {
    const quick = createPasswords(4);
    const passwords: Passwords = {
      ...quick,
      matches: (password, hash, client) => {
        compared.push(password);
        return quick.matches(password, hash, client);
      },
    };
    const env = { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' };
    app = await startNotebookApp({ engine, env, overrides: { passwords, now: Date.now } });
  });
  afterAll(() => app.close());

  const unlock = (slug: string, password: string, address: string) =>
    app.ask('POST', `/api/notebooks/${slug}/unlock`, { body: { password }, headers: { 'x-forwarded-for': address } });

  it('are slowed together, and a reader from another network is not behind them', async () => {
    const { slug } = await app.create({ password: 'correct horse' });
    const guesses = Promise.all(Array.from({ length: 60 }, (_, turn) => unlock(slug, `guess ${turn}`, `198.51.100.${turn}`)));
    const statuses = (await guesses).map(({ statusCode }) => statusCode);
    // Ten at once, then one each quarter of a second for the second that anybody waits.
    expect(statuses.filter(status => status === 401).length).toBeGreaterThanOrEqual(10);
    expect(statuses.filter(status => status === 429).length).toBeGreaterThanOrEqual(40);
    expect(comparedOf('guess')).toBe(statuses.filter(status => status === 401).length);
    const refused = (await guesses).find(({ statusCode }) => statusCode === 429)!;
    expect(refused.headers['retry-after']).toBe('1');

    // Their networks have not tried yet either.
    const crowd = Array.from({ length: 60 }, (_, turn) => unlock(slug, `more ${turn}`, `203.0.113.${turn}`));
    await Promise.race(crowd);
    // Behind all of them, and first: the newest network is. On a busy machine its turn may come after its second of waiting.
    let before = 0;
    const answers: { status: number; wait: unknown }[] = [];
    while (answers.length < 3 && answers.at(-1)?.status !== 204) {
      before = comparedOf('more');
      const { statusCode: status, headers } = await unlock(slug, 'correct horse', '203.0.113.200');
      answers.push({ status, wait: headers['retry-after'] });
    }
    expect(answers.at(-1)?.status).toBe(204);
    expect(answers.slice(0, -1).every(({ wait }) => wait === '1')).toBe(true);
    // One of the crowd may have had its turn while the reader's request was on its way.
    expect(comparedOf('more') - before).toBeLessThanOrEqual(2);
    await Promise.all(crowd);
  });

  it.each([
    ['the /64s of one /48', (turn: number) => `2001:db8:1:${turn.toString(16)}::1`],
    ['the /48s of one /32', (turn: number) => `2001:db9:${turn.toString(16)}::1`],
    ['the /24s of one /16', (turn: number) => `192.88.${turn % 256}.1`],
  ])('from %s keep no reader of another network out, however many they are', async (_, addressOf) => {
    const { slug } = await app.create({ password: 'correct horse' });
    let [turn, isOver] = [0, false];
    // As many as there may wait, all the time: each answer is followed by a guess from an address that is new here.
    const crowd = Array.from({ length: 80 }, async () => {
      while (!isOver) {
        turn += 1;
        await unlock(slug, `${addressOf(0)} ${turn}`, addressOf(turn));
      }
    });
    try {
      await expect.poll(() => comparedOf(addressOf(0))).toBeGreaterThan(12);
      const statuses: number[] = [];
      for (const reader of ['198.51.100.9', '203.0.113.9', '2001:dba::9']) {
        // On a busy machine a turn may come after the second of waiting.
        for (let tries = 0; tries < 3 && statuses.at(-1) !== 204; tries += 1) {
          statuses.push((await unlock(slug, 'correct horse', reader)).statusCode);
        }
        expect(statuses.pop()).toBe(204);
      }
    } finally {
      isOver = true;
      await Promise.all(crowd);
    }
  });

  it('that are right cost nothing: a class unlocks one after the other', async () => {
    const { slug } = await app.create({ password: 'correct horse' });
    for (let turn = 0; turn < 25; turn++) {
      expect((await unlock(slug, 'correct horse', `203.0.113.${turn}`)).statusCode).toBe(204);
    }
    const { id } = (await app.parts.store.findNotebookBySlug(slug))!;
    expect(await app.parts.store.countRateUses({ name: 'notebookPassword', key: id }, Date.now())).toBe(0);
  });

  it('do not use up the tries of a network that was told to come back', async () => {
    const { slug } = await app.create({ password: 'correct horse' });
    const { id } = (await app.parts.store.findNotebookBySlug(slug))!;
    const usedBy = (address: string) => app.parts.store.countRateUses({ name: 'password', key: `${address} ${id}` }, Date.now());
    const crowd = Array.from({ length: 60 }, async (_, turn) => {
      const { statusCode } = await unlock(slug, `wrong ${turn}`, `198.51.100.${turn}`);
      return `${statusCode}, used ${await usedBy(`198.51.100.${turn}`)}`;
    });
    expect(new Set(await Promise.all(crowd))).toEqual(new Set(['401, used 1', '429, used 0']));
    const statuses: number[] = [];
    for (let turn = 0; turn < 10; turn++) statuses.push((await unlock(slug, 'wrong', '203.0.113.77')).statusCode);
    const wrong = statuses.filter(status => status === 401).length;
    expect(wrong).toBeGreaterThan(0);
    expect(statuses.filter(status => status === 429).length).toBe(10 - wrong);
    expect(await usedBy('203.0.113.77')).toBe(wrong);
  });
});

describe('hashing passwords', () => {
  it('that are set keeps no reader waiting: the queues are apart, and clients take turns', async () => {
    const passwords = createPasswords(9);
    const hash = await passwords.hash('correct horse');
    // Cheap to compare, so that it is done as soon as it is its turn, whatever the machine gives to the threads beside it.
    const cheap = await createPasswords(4).hash('correct horse');
    const order: string[] = [];
    const flood = Array.from({ length: 40 }, (_, turn) =>
      passwords.hash(`new ${turn}`, `flooder ${turn}`).then(
        () => order.push('set'),
        () => order.push('refused'),
      ),
    );
    const guessed = Array.from({ length: 6 }, () => passwords.matches('wrong', hash, 'guesser').then(() => order.push('guess')));
    const reader = passwords.matches('correct horse', cheap, 'reader').then(right => order.push(`reader ${right}`));
    await Promise.all([...flood, ...guessed, reader]);
    expect(order.filter(word => word === 'refused')).toHaveLength(23);
    // Two of the guesses were under way; the reader's turn is next, with one of theirs.
    expect(order.filter(word => word.startsWith('reader') || word === 'guess').indexOf('reader true')).toBeLessThanOrEqual(3);
  });

  it('is for the newcomer of another network when one network fills the queue with its addresses', async () => {
    const passwords = createPasswords(9, networkOf);
    const hash = await passwords.hash('correct horse');
    const order: string[] = [];
    const crowd = Array.from({ length: 60 }, (_, turn) =>
      passwords.matches('wrong', hash, `2001:db8:1:${turn.toString(16)}::/64`).then(
        () => order.push('guess'),
        () => order.push('refused'),
      ),
    );
    const reader = passwords.matches('correct horse', hash, '203.0.113.7').then(right => order.push(`reader ${right}`));
    await Promise.all([...crowd, reader]);
    // Two were under way, one gave up its place in the queue, and 32 waited.
    expect(order.filter(word => word === 'refused')).toHaveLength(27);
    expect(order.filter(word => word !== 'refused').indexOf('reader true')).toBeLessThanOrEqual(3);
  });

  it('is so in the service that people start', async () => {
    const env = { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' };
    const app = await startNotebookApp({ env, overrides: { passwords: undefined as never, now: Date.now } });
    const unlock = (slug: string, password: string, address: string) =>
      app.ask('POST', `/api/notebooks/${slug}/unlock`, { body: { password }, headers: { 'x-forwarded-for': address } });
    const slugs: string[] = [];
    for (let count = 0; count < 5; count += 1) slugs.push((await app.create({ password: 'correct horse' })).slug);
    const crowd = slugs
      .slice(1)
      .flatMap((slug, at) => Array.from({ length: 10 }, (_, turn) => unlock(slug, 'wrong', `2001:db8:1:${at}${turn}::1`)));
    await Promise.race(crowd);
    expect((await unlock(slugs[0]!, 'correct horse', '203.0.113.7')).statusCode).toBe(204);
    await app.close();
    const statuses = (await Promise.all(crowd)).map(({ statusCode }) => statusCode);
    expect(statuses).toContain(503);
  });
});
