import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import type { State } from '../state.ts';
import { type OpenSession, OpenSessions, type OpenSessionsParts } from './open-sessions.ts';

const { openSessionEveryMs: everyMs, maxRenewalsOfOpenSessions: atOnce } = limits;
const start = 1_000_000_000;
const state = { doors: new Map([['corp', { refreshEveryMs: 300_000 }]]) } as unknown as State;
const openSession = (id: string, more: Partial<OpenSession> = {}): OpenSession => ({
  id,
  key: `key of ${id}`,
  version: 1,
  refreshAt: undefined,
  identity: { provider: 'corp' } as OpenSession['identity'],
  ...more,
});

function world() {
  const here = {
    ms: start,
    /** Versions by id. */
    live: new Map<string, number>(),
    changed: [] as unknown[],
    over: [] as string[],
    /** Keys of the sessions whose provider was asked. */
    renewed: [] as string[],
    wait: async (): Promise<void> => {},
    find: async (key: string): Promise<object | undefined> => ({ key, version: 2 }),
    async look(open: readonly OpenSession[], aheadMs = 0) {
      here.ms += aheadMs;
      here.over = [];
      await sessions.look(open, state);
      for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
    },
  };
  const sessions = new OpenSessions({
    store: { liveSessions: async (ids: readonly string[]) => new Map([...here.live].filter(([id]) => ids.includes(id))) },
    sessions: { findByKey: (key: string) => here.find(key) },
    renewals: {
      renewIfDue: async (session: { key: string }, its: State) => {
        expect(its).toBe(state);
        here.renewed.push(session.key);
        await here.wait();
        return session;
      },
    },
    now: () => new Date(here.ms),
    onChanged: (session: unknown) => void here.changed.push(session),
    onOver: (ids: ReadonlySet<string>) => void here.over.push(...ids),
  } as unknown as OpenSessionsParts);
  return here;
}

test('says which sessions are over, and which changed', async () => {
  const here = world();
  here.live = new Map([
    ['same', 1],
    ['changed', 2],
  ]);
  await here.look([openSession('same'), openSession('changed'), openSession('gone')]);
  expect(here.over).toEqual(['gone']);
  expect(here.changed).toEqual([{ id: 'changed', key: 'key of changed', version: 2 }]);
});

test('one that ends between the two looks has not changed', async () => {
  const here = world();
  here.live.set('a', 2);
  here.find = async () => undefined;
  await here.look([openSession('a')]);
  expect(here.changed).toEqual([]);
});

test('asks the provider when a session is due, and again only after a pause', async () => {
  const here = world();
  here.live.set('a', 1).set('never', 1);
  const open = [openSession('a', { refreshAt: start + 10 }), openSession('never')];
  await here.look(open, 9);
  expect(here.renewed).toEqual([]);
  await here.look(open, 1);
  await here.look(open, everyMs - 1);
  expect(here.renewed).toEqual(['key of a']);
  await here.look(open, 1);
  expect(here.renewed).toEqual(['key of a', 'key of a']);
  // A clock that was set back makes nobody wait until it is right again.
  await here.look([openSession('a', { refreshAt: start - 3_600_000 })], -600_000);
  expect(here.renewed).toHaveLength(3);
});

test('asks for nobody whose session is over', async () => {
  const here = world();
  await here.look([openSession('gone', { refreshAt: start })]);
  here.live.set('a', 1);
  here.find = async () => undefined;
  await here.look([openSession('a', { refreshAt: start })]);
  expect(here.renewed).toEqual([]);
});

test('asks for so many at once; a slow provider delays only those', async () => {
  const here = world();
  const due = Array.from({ length: atOnce + 1 }, (_, at) => openSession(`s${at}`, { refreshAt: start }));
  for (const { id } of due) here.live.set(id, 1);
  let end = () => {};
  const slow = new Promise<void>(resolve => (end = resolve));
  here.wait = () => slow;
  await here.look(due);
  await here.look(due);
  expect(here.renewed).toHaveLength(atOnce);
  end();
  await here.look(due);
  await here.look(due);
  expect(here.renewed).toHaveLength(atOnce + 1);
});

test('forgets the pause of a session whose streams are closed', async () => {
  const here = world();
  here.live.set('a', 1);
  const open = [openSession('a', { refreshAt: start })];
  await here.look(open);
  await here.look([]);
  await here.look(open);
  expect(here.renewed).toHaveLength(2);
});

test('goes on after a store that fails', async () => {
  const here = world();
  here.live.set('a', 1);
  const open = [openSession('a', { refreshAt: start })];
  here.find = async () => {
    throw new Error('no store');
  };
  await here.look(open);
  here.find = async key => ({ key });
  await here.look(open, everyMs);
  expect(here.renewed).toEqual(['key of a']);
});
