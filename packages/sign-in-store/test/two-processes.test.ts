import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, test } from 'vitest';
import { openStore } from '../src/index.ts';
import { postgresDatabase, sqliteDatabase } from './support/databases.ts';

const program = fileURLToPath(new URL('./support/claimant.ts', import.meta.url));
const rounds = 200;

/** A claimant that is ready; `go` lets it run and gives what it took. */
async function startClaimant(address: string): Promise<{ go: () => Promise<string[]> }> {
  const child: ChildProcess = spawn(process.execPath, [program, address, String(rounds)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  await once(lines, 'line');
  return {
    go: async () => {
      child.stdin?.write('go\n');
      const [line] = await once(lines, 'line');
      return JSON.parse(line as string);
    },
  };
}

describe.each([
  ['SQLite', sqliteDatabase],
  ['PostgreSQL', () => postgresDatabase(inject('postgresUrl'))],
])('two processes on one %s', (_name, openDatabase) => {
  test('accept a callback, an assertion and a logout token once', async () => {
    await using database = await openDatabase();
    const store = await openStore(database.address, { limits: { maxPendingPerBrowser: rounds } });
    // Longer than this test may take.
    const expiresAt = new Date(Date.now() + 600_000);
    for (let round = 0; round < rounds; round += 1) {
      await store.keepPending({ handle: `handle-of-the-round-${round}`, browser: 'browser-of-the-test', value: 'v', expiresAt });
    }
    const claimants = await Promise.all([startClaimant(database.address), startClaimant(database.address)]);
    const taken = await Promise.all(claimants.map(claimant => claimant.go()));
    expect(taken.flat()).toHaveLength(rounds * 3);
    expect(new Set(taken.flat()).size).toBe(rounds * 3);
    await store.close();
  }, 120_000);

  test('see at the next query that the other ended a session', async () => {
    await using database = await openDatabase();
    const [one, two] = [await openStore(database.address), await openStore(database.address)];
    const id = 'a-session-id-of-some-length';
    const expiresAt = new Date(Date.now() + 60_000);
    await one.createSession({ id, issuer: 'i', subject: 's', signedInAt: new Date(), idleSeconds: 60, expiresAt, value: '' });
    expect(await two.findSession(id)).toBeDefined();
    await one.endSessions({ issuer: 'i', subject: 's', at: new Date() });
    expect(await two.findSession(id)).toBeUndefined();
    await one.close();
    await two.close();
  });
});
