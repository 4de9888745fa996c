import { expect, test } from 'vitest';
import { startGateProcess } from '../support/gate-process.ts';
import { temporaryFolder } from '../support/program.ts';
import { freePort } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { corpProvider, startSmallProvider } from '../support/small-provider.ts';

// The person has read that they are signed out, and the process ends before the provider has revoked their refresh token.

test('a token whose revocation a crash cut off is revoked after the next start', async () => {
  using folder = temporaryFolder('crash-at-revocation');
  await using provider = await startSmallProvider();
  Object.assign(provider.answers, { revocationStatus: 200, revocationWaitsFor: new Promise(() => {}) });
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const settings = {
    publicUrl,
    trustedProxies: ['127.0.0.1'],
    providers: [corpProvider(provider)],
    rules: [{ paths: ['/**'], allow: 'signed-in' }],
  };
  const env = { CLIENT_SECRET: 'a client secret of the tests' };
  const start = () => startGateProcess(folder.path, port, settings, env);
  await using first = await start();
  const refreshToken = crypto.randomUUID();
  const tokens = { idToken: 'i', signedIdToken: 'i', refreshToken };
  const of = {
    store: `sqlite:${folder.path}/gate.db`,
    config: { session: { lifetimeSeconds: 3600, idleSeconds: 3600 } },
  };
  const record = { signIn: { identity: { issuer: provider.issuer, subject: 'ada' }, claims: {}, tokens } };
  const cookie = await sessionCookie(of, { issuer: provider.issuer }, record);
  const headers = { accept: 'text/html', origin: publicUrl, cookie };
  const answer = await fetch(`${publicUrl}/gate/sign-out`, { method: 'POST', headers, redirect: 'manual' });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain('You are signed out');
  await first.crash();

  provider.revoked.length = 0;
  provider.answers.revocationWaitsFor = undefined;
  await using second = await start();
  await expect.poll(() => provider.revoked).toEqual([[refreshToken, 'refresh_token']]);
  await expect
    .poll(async () => (await fetch(`${publicUrl}/gate/metrics`)).text())
    .toContain('gate_revocations_total{provider="corp",outcome="revoked"} 1\n');
  expect(JSON.stringify([...first.log, ...second.log])).not.toContain(refreshToken);
});
