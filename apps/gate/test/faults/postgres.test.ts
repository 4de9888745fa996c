import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningPostgres, startPostgres } from '../../../../tools/postgres.ts';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// The store is a real PostgreSQL that is really killed.

const page = { accept: 'text/html' };
let postgres: RunningPostgres;
let upstream: Upstream;
let gate: TestGate;

beforeAll(async () => {
  [postgres, upstream] = await Promise.all([startPostgres(), startUpstream()]);
  gate = await startGate(
    {
      upstream: upstream.origin,
      providers: [corp],
      rules: [
        { paths: ['/free/**'], allow: 'anyone' },
        { paths: ['/**'], allow: 'signed-in' },
      ],
    },
    { store: await postgres.createDatabase() },
  );
}, 120_000);

afterAll(async () => {
  for (const one of [gate, upstream]) await one?.[Symbol.asyncDispose]();
  await postgres?.stop();
});

describe('PostgreSQL under the sessions', () => {
  test.each(['crash', 'restart'] as const)(
    '%s: closed with a page, never open, and back by itself with the people who were signed in',
    async how => {
      const cookie = await sessionCookie(gate);
      const status = async (path: string, headers: Record<string, string> = { cookie }) =>
        (await gate.fetch(path, { headers })).status;
      expect(await status('/x')).toBe(200);
      const stream = await gate.fetch('/events', { headers: { cookie } });
      const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      await postgres[how](async () => {
        await expect.poll(() => status('/x')).toBe(503);
        const shown = await gate.fetch('/x', { headers: { ...page, cookie } });
        expect([shown.status, shown.headers.get('retry-after')]).toEqual([503, '5']);
        expect(await shown.text()).toContain('The gate cannot check who is signed in, so it refused this request.');
        expect(await status('/gate/check', { cookie, 'x-original-uri': '/x' })).toBe(503);
        expect(await status('/gate/me')).toBe(503);
        expect(await status('/gate/readyz', {})).toBe(503);
        expect(await status('/gate/healthz', {})).toBe(200);
        // What is free without anybody's name stays so.
        expect(await status('/free/x', {})).toBe(200);
        // Nobody can say who is still signed in, so a stream that is open ends too.
        await expect(
          (async () => {
            for (;;) if ((await reader.read()).done) return;
          })(),
        ).rejects.toThrow();
      });
      await expect.poll(() => status('/x'), { timeout: 20_000 }).toBe(200);
      await expect.poll(() => status('/gate/readyz', {}), { timeout: 20_000 }).toBe(200);
    },
    90_000,
  );
});
