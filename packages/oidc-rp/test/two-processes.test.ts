import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeOp } from './support/fake-op.ts';
import type { TestServer } from './support/http-server.ts';
import { serveOp } from './support/served-op.ts';

// The README's example twice, with one store: what may be taken once is taken once, whichever process it comes to.

const file = (name: string) => fileURLToPath(new URL(`support/${name}.ts`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'octavo-two-relying-parties-'));
const stops: (() => Promise<unknown>)[] = [];
let op: FakeOp;
let provider: TestServer;
let origins: readonly [string, string];

async function startExample(key: string): Promise<string> {
  const words = ['--import', join(import.meta.dirname, '../../../tools/packages-from-source.ts'), file('example-process')];
  const child = spawn(process.execPath, [...words, `sqlite:${folder}/store.db`, provider.origin, key], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stops.push(async () => {
    const ended = once(child, 'exit');
    if (child.kill()) await ended;
  });
  const [origin] = await once(createInterface({ input: child.stdout }), 'line');
  return origin;
}

beforeAll(async () => {
  op = await FakeOp.start();
  op.nowMs = Date.now();
  provider = await serveOp(op);
  const key = randomBytes(32).toString('base64');
  origins = [await startExample(key), await startExample(key)];
}, 60_000);

afterAll(async () => {
  for (const stop of stops) await stop();
  await provider?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** A sign-in begun at the first process, as far as the browser's way back. */
async function begin(): Promise<{ path: string; cookie: string }> {
  const started = await fetch(`${origins[0]}/sign-in`, { redirect: 'manual' });
  const { pathname, search } = new URL(op.authorize(new URL(started.headers.get('location') ?? '')));
  return { path: pathname + search, cookie: started.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

/** One request at both processes at once. @returns the answers, the better one first */
async function atBoth(path: string, init: RequestInit): Promise<[Response, Response]> {
  const answers = await Promise.all(origins.map(origin => fetch(origin + path, { redirect: 'manual', ...init })));
  return answers.sort((one, other) => one.status - other.status) as [Response, Response];
}

const signedIn = async (origin: string, cookie: string) =>
  (await (await fetch(origin, { headers: { cookie } })).json()).signedIn?.subject ?? null;

test('a callback and a logout token are taken once, and a session of one process is one of the other', async () => {
  for (let round = 0; round < 10; round += 1) {
    // As at a real provider, each sign-in is a session of its own there.
    const sid = `sid-${round}`;
    op.faults.idTokenClaims = claims => ({ ...claims, sid });
    const { path, cookie } = await begin();
    const [taken, refused] = await atBoth(path, { headers: { cookie } });
    expect([taken.status, refused.status, (await refused.json()).code]).toEqual([303, 400, 'OIDC_PENDING_USED']);
    const session =
      taken.headers
        .getSetCookie()
        .find(line => line.startsWith('__Host-session='))
        ?.split(';')[0] ?? '';
    for (const origin of origins) expect(await signedIn(origin, session)).toBe('sub-1');
    const body = new URLSearchParams({ logout_token: await op.logoutToken({ sid }) });
    const [ended, repeated] = await atBoth('/backchannel-logout', { method: 'POST', body });
    expect([ended.status, repeated.status]).toEqual([200, 400]);
    for (const origin of origins) expect(await signedIn(origin, session)).toBeNull();
  }
}, 90_000);
