import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../src/limits.ts';
import { startNginx } from '../support/fronts.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { isInstalled } from '../support/program.ts';
import { freePort } from '../support/servers.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const here = isInstalled('nginx');

// nginx's auth_request knows a yes, 401 and 403. What else the gate says goes on all the same, by docs/gate/gate-failures.conf.
describe.skipIf(!here)(here ? 'behind nginx' : '(skipped: nginx is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-nginx-'));
  let upstream: Upstream;
  let provider: SmallProvider;
  let gate: TestGate;
  let front: AsyncDisposable;
  let origin: string;
  let settings: Record<string, unknown>;
  let made = 0;

  beforeAll(async () => {
    [upstream, provider] = await Promise.all([startUpstream(), startSmallProvider()]);
    const ports = { front: await freePort(), gate: await freePort(), application: Number(new URL(upstream.origin).port) };
    origin = `http://127.0.0.1:${ports.front}`;
    settings = {
      publicUrl: origin,
      providers: [corpProvider(provider, { accessTokens: { audience: 'notes', introspection: true } })],
      rules: [{ paths: ['/**'], allow: 'signed-in', accessTokens: [{ provider: 'corp' }] }],
    };
    gate = await startGate(settings, { port: ports.gate });
    front = await startNginx(folder, ports);
  }, 60_000);

  afterAll(async () => {
    for (const one of [front, gate, provider, upstream]) await one?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(() => {
    provider.answers.introspection = { active: false };
    provider.answers.isDown = false;
  });

  async function ask(path = '/x') {
    made += 1;
    const answer = await fetch(`${origin}${path}`, { headers: { authorization: `Bearer opaque-${made}` } });
    return {
      status: answer.status,
      retryAfter: answer.headers.get('retry-after'),
      cache: answer.headers.get('cache-control'),
      text: await answer.text(),
    };
  }

  test('answers 503 with Retry-After while the provider is down', async () => {
    provider.answers.isDown = true;
    expect(await ask()).toMatchObject({
      status: 503,
      retryAfter: '5',
      cache: 'no-store',
      text: expect.stringMatching(/^Sign-in is unavailable/),
    });
  });

  test("leaves an application's error unchanged", async () => {
    provider.answers.introspection = { active: true, sub: 'robot' };
    expect((await ask('/status/500')).status).toBe(500);
    const answer = await ask('/status/503');
    expect([answer.status, answer.retryAfter]).toEqual([503, null]);
    expect(answer.text).toContain('The application');
  });

  test('answers 429 to too many unknown tokens', async () => {
    let last = await ask();
    for (let at = 0; at <= limits.maxUnknownTokensOfASource && last.status !== 429; at += 1) last = await ask();
    expect(last).toMatchObject({
      status: 429,
      retryAfter: '2',
      cache: 'no-store',
      text: expect.stringMatching(/^Too many requests/),
    });
  });

  test('answers 503 while the gate is down', async () => {
    await gate.app.close();
    expect(await ask()).toMatchObject({ status: 503, retryAfter: null });
    expect(upstream.seen.every(({ url }) => url?.startsWith('/status/'))).toBe(true);
  });
});
