import { openStore, type SignInStore } from '@octavo/sign-in-store';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { isSecret, newSecret, type PendingRecord, PendingRecords } from './pending.ts';
import { Sealer } from './seal.ts';

const [one, other] = ['the first key of these tests, long enough', 'the second key of these tests, long enough'];
let ms = 0;
const now = () => new Date(ms);
let store: SignInStore;
let pending: PendingRecords;

beforeAll(async () => {
  store = await openStore('sqlite::memory:', { now });
});

beforeEach(() => {
  ms = 1_700_000_000_000;
  pending = new PendingRecords(store, new Sealer([one]), now);
});

afterAll(() => store.close());

async function kept(record: PendingRecord = { kind: 'sign-in', provider: 'corp' }) {
  const [handle, browser] = [newSecret(), newSecret()];
  await pending.keep(handle, browser, '203.0.113.7', record);
  return { handle, browser };
}

const form = { path: '/save', contentType: 'text/plain', body: 'YQ==' };

test('is taken once, by its browser, as what it is', async () => {
  const { handle, browser } = await kept({ kind: 'sign-in', provider: 'corp', returnTo: '/x' });
  expect(await pending.take('sign-in', handle, [newSecret()])).toBeUndefined();
  expect(await pending.take('sign-in', newSecret(), [browser])).toBeUndefined();
  expect(await pending.take('sign-in', undefined, [browser])).toBeUndefined();
  expect(await pending.take('sign-in', handle, [])).toBeUndefined();
  const until = ms + 900_000;
  expect(await pending.take('sign-in', handle, [browser])).toEqual({ kind: 'sign-in', provider: 'corp', returnTo: '/x', until });
  expect(await pending.take('sign-in', handle, [browser])).toBeUndefined();
  const begun = await kept();
  expect(await pending.take('sign-out', begun.handle, [begun.browser])).toBeUndefined();
});

test('is over after 15 minutes, or when it says', async () => {
  for (const [until, ahead] of [
    [undefined, 900_000],
    [ms + 5_000, 5_000],
  ] as const) {
    const record = { kind: 'sign-in', ...(until === undefined ? {} : { until }) } as const;
    const [early, late] = [await kept(record), await kept(record)];
    ms += ahead - 1;
    expect(await pending.take('sign-in', early.handle, [early.browser])).toBeDefined();
    ms += 1;
    expect(await pending.take('sign-in', late.handle, [late.browser])).toBeUndefined();
    ms -= ahead;
  }
});

test('of a browser’s secrets three are tried, in their order', async () => {
  const tried = async (at: number) => {
    const { handle, browser } = await kept();
    const secrets = Array.from({ length: 4 }, (_, index) => (index === at ? browser : newSecret()));
    return pending.take('sign-in', handle, secrets);
  };
  expect([await tried(0), await tried(2), await tried(3)]).toMatchObject([{ kind: 'sign-in' }, { kind: 'sign-in' }, undefined]);
});

test('a handle that is too short is none, and nobody is asked', async () => {
  const asked: string[] = [];
  const counting = { ...store, takePending: async (handle: string) => void asked.push(handle) } as unknown as SignInStore;
  const short = new PendingRecords(counting, new Sealer([one]), now);
  for (const length of [15, 16]) expect(await short.take('sign-in', 'h'.repeat(length), [newSecret()])).toBeUndefined();
  expect(asked).toEqual(['h'.repeat(16)]);
});

test('what another key sealed is told apart from what is no seal of ours', async () => {
  let told = 0;
  const tell = () => {
    told += 1;
  };
  const foreign = await kept();
  pending.sealer = new Sealer([other]);
  expect(await pending.take('sign-in', foreign.handle, [foreign.browser], tell)).toBeUndefined();
  expect(told).toBe(1);
  const wrong = await kept({ kind: 'sign-out' });
  expect(await pending.take('sign-in', wrong.handle, [wrong.browser], tell)).toBeUndefined();
  expect(told).toBe(1);
  const fine = await kept();
  expect(await pending.take('sign-in', fine.handle, [fine.browser], tell)).toBeDefined();
  expect(told).toBe(1);
});

test('a kept form stays for its time, and was there before from the second time on', async () => {
  const { handle, browser } = await kept({ kind: 'form', form });
  expect(await pending.showForm(handle, [newSecret()])).toBeUndefined();
  expect(await pending.showForm(handle, [browser])).toEqual({ form, isAgain: false });
  expect(await pending.showForm(handle, [browser])).toEqual({ form, isAgain: true });
  const another = await kept({ kind: 'form', form });
  expect(await pending.showForm(another.handle, [another.browser])).toEqual({ form, isAgain: false });
  ms += 899_999;
  expect(await pending.showForm(handle, [browser])).toEqual({ form, isAgain: true });
  ms += 1;
  expect(await pending.showForm(handle, [browser])).toBeUndefined();
});

test('what has no form shows none', async () => {
  const { handle, browser } = await kept({ kind: 'form' });
  expect(await pending.showForm(handle, [browser])).toBeUndefined();
});

test('a secret has 32 letters of base64url', () => {
  expect(isSecret(newSecret())).toBe(true);
  expect(newSecret()).not.toBe(newSecret());
  for (const text of [
    undefined,
    '',
    'a'.repeat(31),
    'a'.repeat(33),
    `${'a'.repeat(31)}=`,
    `${'a'.repeat(31)}\n`,
    `${'a'.repeat(32)}\n`,
  ])
    expect(isSecret(text), String(text)).toBe(false);
});
