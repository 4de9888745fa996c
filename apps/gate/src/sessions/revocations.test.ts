import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { Log } from '../operate/log.ts';
import { Metrics } from '../operate/metrics.ts';
import type { Door } from '../sign-in/door.ts';
import type { State } from '../state.ts';
import { Revocations } from './revocations.ts';

const op = 'https://op.example';

function begin() {
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
      revoke: (record: unknown) => {
        asked.push(record);
        return new Promise<boolean>((resolve, reject) =>
          answers.set(record, outcome => (outcome instanceof Error ? reject(outcome) : resolve(outcome))),
        );
      },
    }) as unknown as Door;
  const state = { doors: new Map(['corp', 'uni'].map(id => [id, doorOf(id)])) } as unknown as State;
  const metrics = new Metrics({ streams: () => 0, rows: async () => ({ sessions: 0, pending: 0 }) });
  const counted = async () => {
    const { values } = await metrics.revocations.get();
    return Object.fromEntries(values.map(({ labels: { provider, outcome }, value }) => [`${provider} ${outcome}`, value]));
  };
  const answer = (record: string, outcome: boolean | Error = true) => answers.get(record)?.(outcome);
  const session = (record: string, issuer = op, provider = 'corp') => ({ identity: { provider, issuer }, record }) as never;
  return { revocations: new Revocations(log, metrics), lines, asked, answer, state, session, counted };
}

test('few at a time, and never at a provider that did not issue the token', async () => {
  const { revocations, lines, asked, answer, state, session, counted } = begin();
  const others = [session('x', 'https://other.example'), session('y', op, 'gone'), session('z', op, 'uni')];
  revocations.revokeLater([...others, ...['a', 'b', 'c', 'd', 'e'].map(record => session(record))], state);
  revocations.revokeLater([session('f')], state);
  // Another provider does not wait for this one.
  expect(asked).toEqual(['z', 'a', 'b', 'c', 'd']);
  answer('b');
  await expect.poll(() => asked).toEqual(['z', 'a', 'b', 'c', 'd', 'e']);
  answer('c', new Error('503'));
  await expect.poll(() => asked).toEqual(['z', 'a', 'b', 'c', 'd', 'e', 'f']);
  for (const one of ['z', 'a', 'd', 'e']) answer(one);
  answer('f', false);
  await revocations.close();
  expect(lines).toMatchObject([{ message: 'could not revoke tokens', provider: 'corp', error: '503' }]);
  expect(await counted()).toEqual({ 'uni revoked': 1, 'corp revoked': 4, 'corp failed': 1 });
});

test('a gate that stops waits for what is asked and says how many sessions are left', async () => {
  const { revocations, lines, asked, answer, state, session, counted } = begin();
  revocations.revokeLater(
    ['a', 'b', 'c', 'd', 'e', 'f'].map(record => session(record)),
    state,
  );
  let isClosed = false;
  const closed = revocations.close().then(() => {
    isClosed = true;
  });
  for (const one of ['a', 'b', 'c']) answer(one);
  revocations.revokeLater([session('late')], state);
  await new Promise(resolve => setImmediate(resolve));
  expect(isClosed).toBe(false);
  answer('d');
  await closed;
  expect(asked).toEqual(['a', 'b', 'c', 'd']);
  const why = { message: 'stopped before all tokens were revoked', provider: 'corp' };
  expect(lines).toMatchObject([
    { ...why, sessions: 2 },
    { ...why, sessions: 1 },
  ]);
  expect(await counted()).toEqual({ 'corp revoked': 4, 'corp dropped': 3 });
});

test('no more sessions wait for a provider that hangs than memory has room for', async () => {
  const { revocations, lines, asked, answer, state, session, counted } = begin();
  const most = limits.maxRevocationsAtOnce + limits.maxRevocationsWaiting;
  revocations.revokeLater(
    Array.from({ length: most + 2 }, (_, at) => session(`${at}`)),
    state,
  );
  const why = { message: 'a provider is too slow to revoke all tokens', provider: 'corp', sessions: 1 };
  expect(lines).toMatchObject([why, why]);
  expect(await counted()).toEqual({ 'corp dropped': 2 });
  const closed = revocations.close();
  for (const one of asked as string[]) answer(one);
  await closed;
  expect(await counted()).toEqual({ 'corp revoked': 4, 'corp dropped': 2 + limits.maxRevocationsWaiting });
});
