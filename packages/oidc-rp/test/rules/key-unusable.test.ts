import { exportJWK } from 'jose';
import { test } from 'vitest';
import { expectRefused } from '../support/expect-refused.ts';
import { keptKey } from '../support/forge.ts';

const changes: Record<string, Record<string, unknown>> = {
  'meant for encryption': { use: 'enc' },
  'without the operation verify': { key_ops: ['sign'] },
  'with operations that are no list': { key_ops: 'verify' },
  'published for another algorithm': { alg: 'RS512' },
  'published for an algorithm that is no text': { alg: ['RS256'] },
  'of another kind': { kty: 'EC' },
  symmetric: { kty: 'oct', k: 'c2VjcmV0' },
  'with a malformed modulus': { n: 'a+b/' },
  'with a modulus that is no text': { n: 7 },
  'without an exponent': { e: undefined },
};

test.each(Object.entries(changes))('does not use a key that is %s', async (_fault, change) => {
  await expectRefused('OIDC_KEY_UNUSABLE', { jwks: set => ({ keys: set.keys.map(key => ({ ...key, ...change })) }) });
});

test('does not use a key that was published with its private half', async () => {
  const leaked = await exportJWK((await keptKey('first')).privateKey);
  await expectRefused('OIDC_KEY_UNUSABLE', { jwks: () => ({ keys: [{ ...leaked, kid: 'first' }] }) });
});

test('uses the other keys if one is bad', async () => {
  const { FakeOp } = await import('../support/fake-op.ts');
  const { signInAt } = await import('../support/expect-refused.ts');
  const op = await FakeOp.start();
  op.faults.jwks = set => ({ keys: [{ kty: 'oct', k: 'c2VjcmV0' }, null as never, { kid: 7 }, ...set.keys] });
  await signInAt(op);
});

test('treats a member that is null as absent', async () => {
  const { FakeOp } = await import('../support/fake-op.ts');
  const { signInAt } = await import('../support/expect-refused.ts');
  const op = await FakeOp.start();
  const nothing = Object.fromEntries(['alg', 'use', 'key_ops', 'crv', 'd', 'k', 'oth', 'x', 'x5u'].map(name => [name, null]));
  op.faults.jwks = set => ({ keys: set.keys.map(key => ({ ...key, ...nothing })) });
  await signInAt(op);
});
