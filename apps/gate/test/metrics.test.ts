import { afterAll, beforeAll, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from './support/gate.ts';
import { freePort } from './support/servers.ts';
import { sessionCookie } from './support/session.ts';

let gate: TestGate;

beforeAll(async () => {
  gate = await startGate({
    upstream: `http://127.0.0.1:${await freePort()}`,
    providers: [corp],
    rules: [
      { paths: ['/shut'], allow: 'nobody' },
      { paths: ['/**'], allow: 'signed-in' },
    ],
  });
});

afterAll(() => gate?.[Symbol.asyncDispose]());

/** The numbers by name and labels; those that were never counted are not there. */
async function numbers(): Promise<Record<string, number>> {
  const text = await (await gate.fetch('/gate/metrics')).text();
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]));
}

test('the metrics count decisions, sign-ins, sign-outs and failures', async () => {
  const cookie = await sessionCookie(gate);
  for (const path of ['/x', '/x']) await gate.fetch(path);
  await gate.fetch('/shut');
  await gate.fetch('/x', { headers: { cookie } });
  await gate.fetch('/gate/check', { headers: { 'x-original-uri': '/x', cookie } });
  await gate.fetch('/gate/corp/callback?state=x&code=y');
  expect(await numbers()).toMatchObject({
    'gate_decisions_total{decision="sign-in",mode="proxy"}': 2,
    'gate_decisions_total{decision="deny",mode="proxy"}': 1,
    'gate_decisions_total{decision="allow",mode="proxy"}': 1,
    'gate_decisions_total{decision="allow",mode="check"}': 1,
    'gate_upstream_failures_total{reason="down"}': 1,
    'gate_stored_rows{kind="session"}': 1,
    gate_store_failures_total: 0,
    gate_open_streams: 0,
  });
  await gate.fetch('/gate/sign-out', { method: 'POST', headers: { cookie } });
  expect(await numbers()).toMatchObject({
    'gate_sign_outs_total{how="person"}': 1,
    'gate_stored_rows{kind="session"}': 0,
  });
});

test.each(['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-host'])(
  'nobody reads them through a proxy, which says so in %s',
  async name => {
    expect((await gate.fetch('/gate/metrics', { headers: { [name]: '127.0.0.1' } })).status).toBe(404);
  },
);

test('only the addresses of the configuration read them', async () => {
  await using elsewhere = await startGate({ providers: [corp], metricsFrom: ['192.0.2.0/24'] });
  expect((await elsewhere.fetch('/gate/metrics')).status).toBe(404);
  expect((await gate.fetch('/gate/metrics')).status).toBe(200);
});
