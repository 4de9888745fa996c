import { exportJWK, generateKeyPair } from 'jose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { providerKeys } from '../../src/bearer/provider-keys.ts';
import { serve, type TestServer } from '../support/servers.ts';

// The key set of a provider whose access tokens rules accept. Only the date is moved.

let server: TestServer;
let asked = 0;
let isDown = false;
let kids = ['one'];
async function find(keys: ReturnType<typeof providerKeys>, kid: string): Promise<string> {
  try {
    await keys({ alg: 'RS256', kid }, { payload: '', signature: '' });
    return 'found';
  } catch (error) {
    return (error as { code: string }).code;
  }
}
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { publicKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), alg: 'RS256' };
  [asked, isDown, kids] = [0, false, ['one']];
  server = await serve((_request, response) => {
    asked += 1;
    if (isDown) return void response.writeHead(500).end();
    response.end(JSON.stringify({ keys: kids.map(kid => ({ ...jwk, kid })) }));
  });
});

afterEach(async () => {
  vi.useRealTimers();
  await server[Symbol.asyncDispose]();
});

test('keys at hand stay in use while the key set is down, for a day; an unknown one may be new, so that is an outage', async () => {
  const keys = providerKeys(new URL(server.origin));
  expect(await find(keys, 'one')).toBe('found');
  isDown = true;
  pass(3_600_000);
  expect([await find(keys, 'one'), await find(keys, 'two')]).toEqual(['found', 'PROVIDER_DOWN']);
  pass(86_400_000);
  expect(await find(keys, 'one')).toBe('PROVIDER_DOWN');
  [isDown, kids] = [false, ['two']];
  pass(2_000);
  expect([await find(keys, 'two'), await find(keys, 'one')]).toEqual(['found', 'ERR_JWKS_NO_MATCHING_KEY']);
});

test('whatever tokens come, a key set that fails is asked every two seconds only', async () => {
  isDown = true;
  const keys = providerKeys(new URL(server.origin));
  for (let at = 0; at < 10; at += 1) expect(await find(keys, `forged-${at}`)).toBe('PROVIDER_DOWN');
  expect(asked).toBe(1);
  pass(2_000);
  isDown = false;
  expect([await find(keys, 'one'), asked]).toEqual(['found', 2]);
});
