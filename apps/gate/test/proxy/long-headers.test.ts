import { afterAll, beforeAll, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

let upstream: Upstream;
let gate: TestGate;

beforeAll(async () => {
  upstream = await startUpstream();
  gate = await startGate({ upstream: upstream.origin, providers: [corp], rules: [{ paths: ['/**'], allow: 'signed-in' }] });
});

afterAll(async () => {
  for (const one of [gate, upstream]) await one?.[Symbol.asyncDispose]();
});

test('the log tells once for each session which identity header is too long to be sent', async () => {
  const groups = Array.from({ length: 500 }, (_, at) => `group-${1000 + at}`);
  const cookies = [await sessionCookie(gate, { groups }), await sessionCookie(gate, { groups }), await sessionCookie(gate)];
  for (const cookie of cookies)
    for (let times = 0; times < 3; times += 1) expect((await gate.fetch('/x', { headers: { cookie } })).status).toBe(200);
  expect(upstream.seen.at(-4)?.headers['x-auth-groups']).toBeUndefined();
  expect(upstream.seen.at(-4)?.headers['x-auth-subject']).toBe('ada');
  const lines = gate.log.filter(line => line.message === 'an identity header is too long and is left out');
  const line = { level: 'warn', header: 'X-Auth-Groups', length: 5499, atMost: 4096, provider: 'corp', subject: 'ada' };
  expect(lines).toMatchObject([line, line]);
});
