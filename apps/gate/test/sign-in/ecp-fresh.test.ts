import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { enhancedClient } from '../support/simplesamlphp.ts';
import { type SmallIdp, startSmallIdp } from '../support/small-idp.ts';

// With two headers a client chooses the enhanced client profile. What the operator requires of a sign-in must not depend on them.

let idp: SmallIdp;
let gate: TestGate;

beforeAll(async () => {
  idp = await startSmallIdp();
  gate = await startGate({ providers: [idp.provider], rules: [{ paths: ['/**'], allow: 'signed-in' }] }, { env: idp.env });
});

afterAll(async () => {
  for (const one of [gate, idp]) await one?.[Symbol.asyncDispose]();
});

const envelope = async (path: string) => (await gate.fetch(path, { headers: enhancedClient })).text();

test('applies the configured forceAuthn to enhanced clients', async () => {
  expect(await envelope('/x')).not.toContain('ForceAuthn');
  await gate.app.reload(gate.readConfig({ providers: [{ ...idp.provider, forceAuthn: true }] }));
  expect(await envelope('/x')).toMatch(/<samlp:AuthnRequest [^>]*ForceAuthn="true"/);
  expect(await envelope('/gate/sign-in?provider=uni')).toContain('ForceAuthn="true"');
  await gate.app.reload(gate.config);
});

test('tells an enhanced client in an envelope why it is refused', async () => {
  const headers = { 'content-type': 'application/vnd.paos+xml', accept: 'text/html' };
  const refused = await gate.fetch('/gate/uni/acs', { method: 'POST', headers, body: '<nonsense/>' });
  const text = await refused.text();
  expect([refused.status, refused.headers.get('content-type')]).toEqual([403, 'text/xml; charset=utf-8']);
  expect(text).toMatch(/^<soap:Envelope xmlns:soap="[^"]+"><soap:Body><soap:Fault><faultcode>soap:Client<\/faultcode>/);
  expect(text).toMatch(/<faultstring>SAML_[A-Z_]+: /);
  // A page of a browser is no envelope, whatever it posts.
  const page = await gate.fetch('/gate/uni/acs', {
    method: 'POST',
    headers: { accept: 'text/html' },
    body: new URLSearchParams(),
  });
  expect(page.headers.get('content-type') ?? '').not.toContain('xml');
});

test('makes an enhanced client sign in again with fresh=1', async () => {
  expect(await envelope('/gate/sign-in?provider=uni&fresh=1')).toContain('ForceAuthn="true"');
  expect(await envelope('/gate/sign-in?provider=uni&another=1')).toContain('ForceAuthn="true"');
});
