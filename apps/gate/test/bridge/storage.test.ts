import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type SignInStore } from '@octavo/sign-in-store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createStorage, type Seal } from '../../src/bridge/storage.ts';
import { limits } from '../../src/limits.ts';
import { Sealer } from '../../src/sessions/seal.ts';

// What oidc-provider keeps, over two connections to one store, as two processes have them.

const folder = mkdtempSync(join(tmpdir(), 'octavo-bridge-storage-'));
let now = new Date('2026-06-01T12:00:00Z');
let stores: SignInStore[];

beforeAll(async () => {
  stores = await Promise.all([1, 2].map(() => openStore(`sqlite:${join(folder, 'gate.db')}`, { now: () => now })));
});

afterAll(async () => {
  for (const store of stores) await store.close();
  rmSync(folder, { recursive: true });
});

const storageOf = (at: number, model: string, seal: Seal = new Sealer(['k'.repeat(40)])) =>
  createStorage(
    (stores[at] as SignInStore).records,
    () => seal,
    () => now,
  )(model);

describe('the storage of the bridge', () => {
  test('refuses one of two processes that exchange a code at once', async () => {
    const [one, two] = [storageOf(0, 'AuthorizationCode'), storageOf(1, 'AuthorizationCode')];
    await one.upsert('code-of-ada', { grantId: 'g' }, 60);
    // Both have looked and found it unused.
    expect([await one.find('code-of-ada'), await two.find('code-of-ada')]).toEqual([{ grantId: 'g' }, { grantId: 'g' }]);
    const answers = await Promise.allSettled([one.consume('code-of-ada'), two.consume('code-of-ada')]);
    expect(answers.map(answer => answer.status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(answers.find(answer => answer.status === 'rejected')).toMatchObject({ reason: { error: 'invalid_grant' } });
    expect(await two.find('code-of-ada')).toEqual({ grantId: 'g', consumed: now.getTime() / 1000 });
  });

  test('removes with a grant only what belongs to it', async () => {
    const [tokens, refresh] = [storageOf(0, 'AccessToken'), storageOf(0, 'RefreshToken')];
    await tokens.upsert('a', { grantId: 'one' }, 60);
    await refresh.upsert('b', { grantId: 'one' }, 60);
    await tokens.upsert('c', { grantId: 'two' }, 60);
    await storageOf(1, 'AccessToken').revokeByGrantId('one');
    expect([await tokens.find('a'), await refresh.find('b'), await tokens.find('c')]).toEqual([
      undefined,
      undefined,
      { grantId: 'two' },
    ]);
  });

  test('finds a session by its uid, and ends everything at its exact time', async () => {
    const sessions = storageOf(0, 'Session');
    await sessions.upsert('jti', { uid: 'uid-of-ada' }, 60);
    expect(await storageOf(1, 'Session').findByUid('uid-of-ada')).toEqual({ uid: 'uid-of-ada' });
    now = new Date(now.getTime() + 60_000);
    expect([await sessions.findByUid('uid-of-ada'), await sessions.find('jti')]).toEqual([undefined, undefined]);
  });

  test('bounds each kind that anybody can make it keep, and nothing that a person was given', async () => {
    const bounds = new Map<string, number | undefined>();
    const records = {
      ...(stores[0] as SignInStore).records,
      put: async ({ kind, most }: Parameters<SignInStore['records']['put']>[0]) => void bounds.set(kind, most),
    };
    const storage = createStorage(
      records,
      () => new Sealer(['k'.repeat(40)]),
      () => now,
    );
    const anybodys = ['Interaction', 'Session', 'ReplayDetection', 'PushedAuthorizationRequest'];
    const given = ['AuthorizationCode', 'AccessToken', 'RefreshToken', 'Grant'];
    for (const model of [...anybodys, ...given]) await storage(model).upsert('id', {}, 60);
    // The store keeps to `most`, and drops the oldest (its own tests).
    expect(Object.fromEntries(bounds)).toEqual({
      ...Object.fromEntries(anybodys.map(model => [`bridge ${model}`, limits.maxBridgeRecordsOfAKind])),
      ...Object.fromEntries(given.map(model => [`bridge ${model}`, undefined])),
    });
  });

  test('one kind cannot stand for another, and what another key sealed is nothing', async () => {
    await storageOf(0, 'AccessToken').upsert('same', { grantId: 'g' }, 60);
    expect(await storageOf(0, 'RefreshToken').find('same')).toBeUndefined();
    expect(await storageOf(0, 'AccessToken', new Sealer(['x'.repeat(40)])).find('same')).toBeUndefined();
    expect(await storageOf(0, 'AccessToken', new Sealer(['x'.repeat(40), 'k'.repeat(40)])).find('same')).toEqual({
      grantId: 'g',
    });
  });
});
