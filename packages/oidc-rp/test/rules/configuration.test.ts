import { expect, test } from 'vitest';
import type { RelyingPartyOptions } from '../../src/index.ts';
import { FakeOp } from '../support/fake-op.ts';

const op = await FakeOp.start();
const refused = expect.objectContaining({ code: 'OIDC_CONFIG_INVALID' });

test.each([
  ['an unknown option', { idTokenAlgorithm: ['RS256'] }],
  ['an empty client id', { clientId: '' }],
  ['no algorithm', { idTokenAlgorithms: [] }],
  ['an unknown algorithm', { idTokenAlgorithms: ['RS257'] }],
  ['an inherited name as algorithm', { idTokenAlgorithms: ['constructor'] }],
  ['a tolerance of an hour', { clockToleranceSeconds: 3600 }],
  ['a negative tolerance', { clockToleranceSeconds: -1 }],
  ['no number as tolerance', { clockToleranceSeconds: Number.NaN }],
  ['an issuer without https', { issuer: 'http://op.example' }],
  ['an issuer with a query', { issuer: 'https://op.example?a=1' }],
  ['an issuer with a fragment', { issuer: 'https://op.example#a' }],
  ['an issuer with a user name', { issuer: 'https://a@op.example' }],
  ['an issuer on loopback without the flag', { issuer: 'http://127.0.0.1:3000' }],
  ['decryption with RSA1_5', { idTokenDecryption: { algorithm: 'RSA1_5', encryption: 'A256GCM', keys: [{ key: {} }] } }],
  [
    'decryption with an unknown content encryption',
    { idTokenDecryption: { algorithm: 'ECDH-ES', encryption: 'A1', keys: [{ key: {} }] } },
  ],
  ['decryption without a key', { idTokenDecryption: { algorithm: 'ECDH-ES', encryption: 'A256GCM', keys: [] } }],
])('refuses %s at the start', (_fault, changes) => {
  expect(() => op.relyingParty(changes as Partial<RelyingPartyOptions>)).toThrow(refused);
});

test('allows only loopback with the loopback flag', () => {
  expect(() => op.relyingParty({ issuer: 'http://127.0.0.1:3000', dangerouslyAllowLoopbackHttp: true })).not.toThrow();
  expect(() => op.relyingParty({ issuer: 'http://10.0.0.1:3000', dangerouslyAllowLoopbackHttp: true })).toThrow(refused);
});

test('names every relaxation as one', async () => {
  const { globSync, readFileSync } = await import('node:fs');
  const folder = new URL('../../src/', import.meta.url);
  const sources = globSync('**/*.ts', { cwd: folder }).map(file => readFileSync(new URL(file, folder), 'utf8'));
  const words = sources.flatMap(
    text => text.match(/\b(?:dangerouslyA|a)llow[A-Z]\w*|\b(?:skip|disable|insecure|unsafe)[A-Z]\w*/g) ?? [],
  );
  expect(words).toContain('dangerouslyAllowLoopbackHttp');
  expect(words.filter(word => !word.startsWith('dangerously'))).toEqual([]);
});
