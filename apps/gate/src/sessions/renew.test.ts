import { OidcError } from '@octavo/oidc-rp';
import type { RecordStore } from '@octavo/sign-in-store';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '../operate/log.ts';
import { Metrics } from '../operate/metrics.ts';
import type { State } from '../state.ts';
import { Renewals } from './renew.ts';
import { Revocations } from './revocations.ts';
import { Sealer } from './seal.ts';
import type { KeyedSession, Sessions } from './sessions.ts';

const start = 1_000_000_000;
const session = (more: Partial<KeyedSession> = {}) =>
  ({
    key: 'k',
    version: 1,
    refreshAt: start,
    record: { old: true },
    identity: { provider: 'corp', subject: 'ada' },
    ...more,
  }) as KeyedSession;

/** What the store and the provider do, and what was done. */
let world: ReturnType<typeof createWorld>;

beforeEach(() => {
  world = createWorld();
});

function createWorld() {
  const done: string[] = [];
  const logged: unknown[] = [];
  const here = {
    ms: start,
    done,
    logged,
    mayClaim: true,
    latest: session() as KeyedSession | undefined,
    isKept: true,
    release: async () => {},
    refresh: async (record: unknown, before: unknown): Promise<unknown> => {
      expect([record, before]).toEqual([{ old: true }, session().identity]);
      return { identity: { provider: 'corp', subject: 'ada', groups: ['new'] }, record: { new: true }, refreshAt: start + 60 };
    },
    state: {} as State,
    metrics: new Metrics({ streams: () => 0, rows: async () => ({ sessions: 0, pending: 0 }) }),
    counts: async () => (await here.metrics.refreshes.get()).values.map(({ value, labels }) => [labels.outcome, value]),
  };
  const door = {
    toRevoke: (record: unknown) => record,
    revoke: async (record: unknown) => void done.push(`revoke ${JSON.stringify(record)}`),
    refresh: (record: unknown, before: unknown) => {
      done.push('ask');
      return here.refresh(record, before);
    },
  };
  here.state = {
    doors: new Map<string, unknown>([
      ['corp', door],
      ['plain', {}],
    ]),
  } as unknown as State;
  const sessions = {
    claimRefresh: async (key: string) => {
      done.push(`claim ${key}`);
      return here.mayClaim;
    },
    releaseRefresh: (key: string) => {
      done.push(`release ${key}`);
      return here.release();
    },
    findByKey: async (key: string) => {
      done.push(`find ${key}`);
      return here.latest;
    },
    change: async (_of: KeyedSession, renewed: { record: unknown }) => {
      done.push(`change ${JSON.stringify(renewed.record)}`);
      return here.isKept;
    },
    endByKey: async (key: string) => void done.push(`end ${key}`),
  } as unknown as Sessions;
  const log = {
    warn: (message: string, fields: object) => void logged.push([message, fields]),
    audit: (event: string, fields: object) => void logged.push([event, fields]),
  } as unknown as Log;
  const now = () => new Date(here.ms);
  const sealer = new Sealer(['a key of a test']);
  const records = { put: async () => {}, remove: async () => {} } as unknown as RecordStore;
  const renewals = new Renewals(
    sessions,
    new Revocations({ log, metrics: here.metrics, now, records, sealer: () => sealer }),
    log,
    here.metrics,
    now,
  );
  renewals.onEnded = ended => void done.push(`ended ${ended.key}`);
  return Object.assign(here, { renewals, renew: (of = session()) => renewals.renewIfDue(of, here.state) });
}

const outage = () => new OidcError('OIDC_HTTP_NETWORK', { check: 'the network' } as never);

describe('nobody is asked', () => {
  test('before the time', async () => {
    const early = session({ refreshAt: start + 1 });
    expect(await world.renew(early)).toBe(early);
    const never = session({ refreshAt: undefined });
    expect(await world.renew(never)).toBe(never);
    expect([early, never, session()].map(one => world.renewals.isDue(one, world.state))).toEqual([false, false, true]);
    expect(world.done).toEqual([]);
  });

  test('where a provider is gone, or cannot be asked', async () => {
    for (const provider of ['gone', 'plain']) {
      const of = session({ identity: { provider } as KeyedSession['identity'] });
      expect(await world.renew(of)).toBe(of);
    }
    expect(world.done).toEqual([]);
  });

  test('while another process asks', async () => {
    world.mayClaim = false;
    expect(await world.renew()).toMatchObject({ record: { old: true } });
    expect(world.done).toEqual(['claim k']);
  });

  test('after another process has asked: what it was told counts', async () => {
    world.latest = session({ version: 2, record: { theirs: true } });
    expect(await world.renew()).toMatchObject({ version: 2, record: { theirs: true } });
    expect(world.done).toEqual(['claim k', 'find k', 'release k']);
  });

  test('of a session that is over by then', async () => {
    world.latest = undefined;
    expect(await world.renew()).toBeUndefined();
    expect(world.done).toEqual(['claim k', 'find k', 'release k']);
  });
});

describe('a provider that says yes', () => {
  test('renews the session, which keeps the rest of what it was', async () => {
    const renewed = { record: { new: true }, refreshAt: start + 60, version: 2, identity: { groups: ['new'] } };
    expect(await world.renew({ ...session(), id: 'i' } as never)).toMatchObject({ ...renewed, id: 'i', key: 'k' });
    expect(world.done).toEqual(['claim k', 'find k', 'ask', 'change {"new":true}', 'release k']);
    expect(await world.counts()).toEqual([['renewed', 1]]);
    expect(world.logged).toEqual([]);
  });

  test('too late: what the store has by then counts', async () => {
    world.isKept = false;
    const { refresh } = world;
    world.refresh = async (...given) => {
      world.latest = session({ version: 5 });
      return refresh(...given);
    };
    expect(await world.renew()).toMatchObject({ version: 5, record: { old: true } });
    // The session lives, and a provider may take one revoked token for the end of all that it issued with it.
    expect(world.done.filter(one => one.startsWith('revoke'))).toEqual([]);
    world.refresh = async (...given) => {
      world.latest = undefined;
      return refresh(...given);
    };
    world.latest = session();
    expect(await world.renew()).toBeUndefined();
    expect(world.done.slice(-4)).toEqual(['change {"new":true}', 'find k', 'revoke {"new":true}', 'release k']);
  });

  test('once, to all who wait for it; the next one asks anew', async () => {
    let answer = () => {};
    const { refresh } = world;
    world.refresh = async (...given) => {
      await new Promise<void>(resolve => (answer = resolve));
      return refresh(...given);
    };
    const all = Promise.all([world.renew(), world.renew(), world.renew({ ...session(), id: 'i' } as never)]);
    for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
    answer();
    expect((await all).map(one => one?.version)).toEqual([2, 2, 2]);
    expect(world.done.filter(one => one === 'ask')).toHaveLength(1);
    world.refresh = refresh;
    await world.renew();
    expect(world.done.filter(one => one === 'ask')).toHaveLength(2);
  });

  test('counts, though the claim is not given back', async () => {
    world.release = async () => {
      throw new Error('no store');
    };
    expect(await world.renew()).toMatchObject({ version: 2 });
  });
});

describe('a provider that cannot be asked', () => {
  beforeEach(() => {
    world.refresh = async () => {
      throw outage();
    };
  });

  test('ends nothing, and is asked again after 5 seconds', async () => {
    const old = session();
    expect(await world.renew(old)).toMatchObject({ key: 'k', version: 1, record: { old: true } });
    expect(world.done).toEqual(['claim k', 'find k', 'ask', 'release k']);
    expect(await world.counts()).toEqual([['unreachable', 1]]);
    expect(world.logged).toEqual([
      [
        'could not renew a session; it stays valid until it expires',
        expect.objectContaining({ provider: 'corp', code: 'OIDC_HTTP_NETWORK' }),
      ],
    ]);
    world.ms += 4_999;
    expect(await world.renew(old)).toBe(old);
    // Another session of the same provider need not wait.
    world.latest = session({ key: 'other' });
    await world.renew(session({ key: 'other' }));
    expect(world.done.filter(one => one === 'ask')).toHaveLength(2);
    world.ms += 1;
    world.latest = session();
    await world.renew(old);
    expect(world.done.filter(one => one === 'ask')).toHaveLength(3);
  });

  test('and says when it wants to be asked again is left alone for so long, but for no more than 30 seconds', async () => {
    let [asked, wish] = [0, 12];
    world.refresh = async () => {
      asked += 1;
      throw new OidcError('OIDC_HTTP_STATUS', { check: 'token', received: 429, retryAfterSeconds: wish });
    };
    const askedAfter = async (...ms: number[]) => {
      const counts: number[] = [];
      for (const one of ms) {
        world.ms += one;
        await world.renew();
        counts.push(asked);
      }
      return counts;
    };
    expect(await askedAfter(0, 11_999, 1)).toEqual([1, 1, 2]);
    wish = 3_600;
    expect(await askedAfter(12_000, 29_999, 1)).toEqual([3, 3, 4]);
    wish = 1;
    expect(await askedAfter(30_000, 4_999, 1)).toEqual([5, 5, 6]);
  });

  test('is asked nevertheless once the clock was set back', async () => {
    await world.renew();
    world.ms -= 3_600_000;
    await world.renew(session({ refreshAt: world.ms }));
    expect(world.done.filter(one => one === 'ask')).toHaveLength(2);
  });

  test('and then answers: the pause is over', async () => {
    await world.renew();
    world.ms += 5_000;
    world.refresh = createWorld().refresh;
    await world.renew();
    world.ms -= 1;
    expect(await world.renew()).toMatchObject({ version: 2 });
    expect(world.done.filter(one => one === 'ask')).toHaveLength(3);
  });
});

test('a provider that refuses ends the session: in the store, at the applications, in the log', async () => {
  world.refresh = async () => {
    throw new OidcError('OIDC_REFRESH_REFUSED', { check: 'the refresh token' } as never);
  };
  expect(await world.renew()).toBeUndefined();
  expect(world.done).toEqual(['claim k', 'find k', 'ask', 'end k', 'ended k', 'release k']);
  expect(await world.counts()).toEqual([['ended', 1]]);
  expect(world.logged).toEqual([['session-ended-at-refresh', expect.objectContaining({ provider: 'corp', subject: 'ada' })]]);
});
