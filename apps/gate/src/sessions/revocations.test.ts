import { openStore, type SignInStore } from '@octavo/sign-in-store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { Log } from '../operate/log.ts';
import { Metrics } from '../operate/metrics.ts';
import type { Door } from '../sign-in/door.ts';
import type { State } from '../state.ts';
import { OwedRevocations } from './owed-revocations.ts';
import { Revocations } from './revocations.ts';
import { Sealer } from './seal.ts';

const op = 'https://op.example';
const start = 1_700_000_000_000;
let ms = start;
const now = () => new Date(ms);
const sealer = new Sealer(['a key of these tests that is long enough']);
let store: SignInStore;

beforeEach(async () => {
  ms = start;
  store = await openStore('sqlite::memory:', { now });
});

afterEach(() => store.close());

function begin(records = store.records, againEveryMs?: number) {
  const lines: Record<string, unknown>[] = [];
  const log = new Log(
    'info',
    () => new Date(0),
    line => lines.push(JSON.parse(line)),
  );
  const asked: unknown[] = [];
  const answers = new Map<unknown, (outcome: boolean | Error) => void>();
  const doorOf = (id: string) =>
    ({
      id,
      vouchesFor: (issuer: string) => issuer === op,
      toRevoke: ({ token }: { token?: string }) => token,
      revoke: (token: unknown) => {
        asked.push(token);
        return new Promise<boolean>((resolve, reject) =>
          answers.set(token, outcome => (outcome instanceof Error ? reject(outcome) : resolve(outcome))),
        );
      },
    }) as unknown as Door;
  const state = { doors: new Map(['corp', 'uni'].map(id => [id, doorOf(id)])) } as unknown as State;
  const metrics = new Metrics({ streams: () => 0, rows: async () => ({ sessions: 0, pending: 0 }) });
  const counted = async () => {
    const { values } = await metrics.revocations.get();
    return Object.fromEntries(values.map(({ labels: { provider, outcome }, value }) => [`${provider} ${outcome}`, value]));
  };
  const answer = (token: string, outcome: boolean | Error = true) => answers.get(token)?.(outcome);
  const session = (token: string | undefined, issuer = op, provider = 'corp') =>
    ({ identity: { provider, issuer }, subjectKey: `person ${token}`, record: { token, secret: 'x' } }) as never;
  const revocations = new Revocations({
    log,
    metrics,
    now,
    records,
    sealer: () => sealer,
    ...(againEveryMs && { againEveryMs }),
  });
  return { revocations, lines, asked, answer, state, session, counted };
}

/** What the store still has; nobody else finds it there afterwards. */
const owed = async () => (await new OwedRevocations(store.records, () => sealer).takeAll()).map(one => one.record);
const failing = { put: async () => Promise.reject(new Error('full')) } as unknown as SignInStore['records'];
/** Everything that is under way here has come to its end. */
const settled = (one: ReturnType<typeof begin>) => one.revocations.close();

describe('a provider is asked', () => {
  test('about few at a time, and never one that did not issue the token', async () => {
    const one = begin();
    const { revocations, lines, asked, answer, state, session, counted } = one;
    const others = [session('x', 'https://other.example'), session('y', op, 'gone'), session(undefined), session('z', op, 'uni')];
    await revocations.revokeLater([...others, ...['a', 'b', 'c', 'd', 'e'].map(token => session(token))], state);
    await revocations.revokeLater([session('f')], state);
    // Another provider does not wait for this one.
    expect(asked).toEqual(['z', 'a', 'b', 'c', 'd']);
    answer('b');
    await expect.poll(() => asked).toEqual(['z', 'a', 'b', 'c', 'd', 'e']);
    answer('c', new Error('503'));
    await expect.poll(() => asked).toEqual(['z', 'a', 'b', 'c', 'd', 'e', 'f']);
    for (const token of ['z', 'a', 'd', 'e']) answer(token);
    answer('f', false);
    await settled(one);
    expect(lines).toMatchObject([{ message: 'could not revoke tokens', provider: 'corp', error: '503' }]);
    expect(await counted()).toEqual({ 'uni revoked': 1, 'corp revoked': 4, 'corp failed': 1 });
    // Only the one that failed is tried again. Nothing else of the session is kept.
    expect(await owed()).toEqual(['c']);
  });

  test('unless nobody can read the record: that is told, and holds up nothing', async () => {
    const { revocations, lines, asked, state, session, counted } = begin();
    const broken = { ...(session('a') as object), record: undefined } as never;
    await revocations.revokeLater([broken, session('b')], state);
    expect(asked).toEqual(['b']);
    expect(lines).toMatchObject([{ message: 'could not revoke tokens', provider: 'corp' }]);
    expect(await counted()).toEqual({ 'corp failed': 1 });
  });

  test('at once about a token that only its last answer leads to', async () => {
    const { revocations, asked, state, session } = begin();
    await revocations.revokeLater(
      ['a', 'b', 'c', 'd', 'e'].map(token => session(token)),
      state,
    );
    const door = state.doors.get('corp') as Door;
    await revocations.revokeAt(door, session('waits'));
    await revocations.revokeAt(door, session('urgent'), true);
    expect(asked).toEqual(['a', 'b', 'c', 'd', 'urgent']);
  });
});

describe('what was not revoked', () => {
  test('when the process ended is revoked by the next one', async () => {
    const { revocations, state, session } = begin();
    const tokens = ['a', 'b', 'c', 'd', 'e'];
    await revocations.revokeLater(
      tokens.map(token => session(token)),
      state,
    );
    const next = begin();
    await next.revocations.open(() => next.state);
    expect(next.asked).toEqual(tokens.slice(0, 4));
    // If that one ends now, another one has them.
    const last = begin();
    await last.revocations.open(() => last.state);
    for (const count of [4, 5]) {
      await expect.poll(() => last.asked.length).toBe(count);
      for (const token of tokens) last.answer(token);
    }
    await settled(last);
    expect([...last.asked].sort()).toEqual(tokens);
    expect(await last.counted()).toEqual({ 'corp revoked': 5 });
    expect(await owed()).toEqual([]);
    for (const token of tokens) next.answer(token);
    await settled(next);
  });

  test('is tried again, but not while it is asked about', async () => {
    const one = begin(store.records, 5);
    const { revocations, asked, answer, state, session, counted } = one;
    let looks = 0;
    await revocations.revokeLater([session('a')], state);
    await revocations.open(() => {
      looks += 1;
      return state;
    });
    await expect.poll(() => looks).toBeGreaterThan(3);
    expect(asked).toEqual(['a']);
    answer('a', new Error('503'));
    await expect.poll(() => asked).toEqual(['a', 'a']);
    answer('a');
    await expect.poll(counted).toEqual({ 'corp failed': 1, 'corp revoked': 1 });
    const before = looks;
    await expect.poll(() => looks).toBeGreaterThan(before + 3);
    await settled(one);
    expect(asked).toEqual(['a', 'a']);
    expect(await owed()).toEqual([]);
  });

  test('is forgotten when the person signs in again: the new session could end with it', async () => {
    const { revocations, asked, answer, state, session } = begin();
    const again = 'g';
    await revocations.revokeLater(
      ['a', 'b', 'c', 'd', again, again, 'e'].map(token => session(token)),
      state,
    );
    await revocations.spare(session(again, 'https://other.example'));
    await revocations.spare(session(again));
    await revocations.spare(session('a'));
    for (const token of ['a', 'b', 'c']) answer(token, new Error('503'));
    await expect.poll(() => asked).toEqual(['a', 'b', 'c', 'd', 'e']);
    for (const token of ['d', 'e']) answer(token, new Error('503'));
    await revocations.close();
    expect((await owed()).sort()).toEqual(['b', 'c', 'd', 'e']);
  });

  test('is left alone after an hour, and of another issuer or under a key that is gone', async () => {
    const first = begin();
    await first.revocations.revokeLater([first.session('a')], first.state);
    const other = new OwedRevocations(store.records, () => new Sealer(['another key, as long as the first']));
    const fresh = { id: 'i', provider: 'corp', subjectKey: 'ada', record: 'k', until: start + 2 * limits.revokeWithinMs };
    await other.keep({ ...fresh, issuer: op });
    const ours = new OwedRevocations(store.records, () => sealer);
    await ours.keep({ ...fresh, id: 'j', issuer: 'https://former.example' });
    await ours.keep({ ...fresh, id: 'm', issuer: op, record: 'good' });
    ms += limits.revokeWithinMs;
    const next = begin();
    await next.revocations.open(() => next.state);
    expect(next.asked).toEqual(['good']);
    next.answer('good');
    await settled(next);
    expect(next.lines).toEqual([]);
    expect(await owed()).toEqual([]);
  });

  test('when a gate stops waits for the next one, and what is asked is waited for', async () => {
    const { revocations, lines, asked, answer, state, session, counted } = begin();
    await revocations.revokeLater(
      ['a', 'b', 'c', 'd', 'e', 'f'].map(token => session(token)),
      state,
    );
    let isClosed = false;
    const closed = revocations.close().then(() => {
      isClosed = true;
    });
    for (const token of ['a', 'b', 'c']) answer(token);
    await revocations.revokeLater([session('late')], state);
    await new Promise(resolve => setImmediate(resolve));
    expect(isClosed).toBe(false);
    answer('d');
    await closed;
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
    const why = { message: 'stopped before all tokens were revoked', provider: 'corp' };
    expect(lines).toMatchObject([
      { ...why, sessions: 2, kept: 2 },
      { ...why, sessions: 1, kept: 1 },
    ]);
    expect(await counted()).toEqual({ 'corp revoked': 4 });
    expect((await owed()).sort()).toEqual(['e', 'f', 'late']);
  });

  test('is lost where the store keeps nothing, and counted', async () => {
    const { revocations, lines, answer, state, session, counted } = begin(failing);
    await revocations.revokeLater(
      ['a', 'b', 'c', 'd', 'e'].map(token => session(token)),
      state,
    );
    const closed = revocations.close();
    for (const token of ['a', 'b', 'c', 'd']) answer(token);
    await closed;
    const unkept = { message: 'could not keep a token that is to be revoked', provider: 'corp', error: 'full' };
    const why = { message: 'stopped before all tokens were revoked', provider: 'corp', sessions: 1, kept: 0 };
    expect(lines).toMatchObject([...Array(5).fill(unkept), why]);
    expect(await counted()).toEqual({ 'corp revoked': 4, 'corp dropped': 1 });
  });

  test('of a provider that hangs fills no memory', async () => {
    const { revocations, lines, asked, answer, state, session, counted } = begin();
    const most = limits.maxRevocationsAtOnce + limits.maxRevocationsWaiting;
    await revocations.revokeLater(
      Array.from({ length: most + 2 }, (_, at) => session(`${at}`)),
      state,
    );
    const why = { message: 'a provider is too slow to revoke all tokens', provider: 'corp', sessions: 1, kept: 1 };
    await expect.poll(() => lines).toMatchObject([why, why]);
    const closed = revocations.close();
    for (const token of asked as string[]) answer(token);
    await closed;
    expect(await counted()).toEqual({ 'corp revoked': 4 });
    expect((await owed()).length).toBe(most + 2 - 4);
  });
});
