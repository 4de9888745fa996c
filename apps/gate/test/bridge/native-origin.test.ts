import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { corp, startGate } from '../support/gate.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const env = { EC_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };

test('the address of a native application opens the token endpoint to no page: a frame without an origin is not it', async () => {
  const app = {
    id: 'phone',
    name: 'Phone',
    kind: 'native',
    redirectUris: ['org.example.phone:/callback', 'https://phone.example.org/callback'],
  };
  const bridge = { keys: [{ env: 'EC_KEY' }], clients: [app] };
  await using gate = await startGate({ providers: [corp], rules: [{ paths: ['/**'], allow: 'signed-in' }], bridge }, { env });
  const allowedFor = async (origin: string) => {
    const body = new URLSearchParams({ grant_type: 'authorization_code', client_id: 'phone', code: 'x', code_verifier: 'y' });
    const answer = await gate.fetch('/gate/oidc/token', { method: 'POST', body, headers: { origin } });
    return answer.headers.get('access-control-allow-origin');
  };
  expect(await allowedFor('https://phone.example.org')).toBe('https://phone.example.org');
  expect(await allowedFor('https://evil.example')).toBeNull();
  expect(await allowedFor('null')).toBeNull();
});
