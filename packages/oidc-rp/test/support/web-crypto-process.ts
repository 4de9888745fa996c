import type { Faults } from './fake-op.ts';

// A runtime without Node's own cryptography, as browsers are. It says as JSON how sign-ins end in it.
Object.assign(process, { getBuiltinModule: undefined });
const { nodeCrypto } = await import('../../src/keys/node-crypto.ts');
const { FakeOp } = await import('./fake-op.ts');
const { forge, keptKey } = await import('./forge.ts');

const hash = 'AAAAAAAAAAAAAAAAAAAAAA';
const cases: Record<string, Faults> = {
  honest: {},
  at_hash: { idTokenClaims: claims => ({ ...claims, at_hash: hash }) },
  c_hash: { idTokenClaims: claims => ({ ...claims, c_hash: hash }) },
  signature: { idToken: async ({ header, claims }) => forge(header, claims, await keptKey('stranger')) },
};

const outcomes: Record<string, string> = { nodeCrypto: typeof nodeCrypto };
for (const [name, faults] of Object.entries(cases)) {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  const { url, pending } = await rp.startSignIn();
  await rp.validateIdToken(await op.sign(op.claims()), { nonce: undefined });
  op.faults = faults;
  outcomes[name] = await rp.finishSignIn(op.authorize(url), pending).then(
    ({ identity }) => identity.subject,
    error => error.code ?? String(error),
  );
}
process.stdout.write(JSON.stringify(outcomes));
