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

test('makes an enhanced client sign in again with fresh=1', async () => {
  expect(await envelope('/gate/sign-in?provider=uni&fresh=1')).toContain('ForceAuthn="true"');
});
