import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../src/limits.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { answerWithoutEnd, serve, type TestServer } from '../support/servers.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';

// A server in a provider's place may answer without an end. What the packages ask is bounded there; here is what the gate asks by itself.

let provider: SmallProvider;
let metadata: TestServer;
let metadataBytes = () => 0;
let gate: TestGate;

beforeAll(async () => {
  provider = await startSmallProvider();
  metadata = await serve((_request, response) => {
    metadataBytes = answerWithoutEnd(response, 'application/samlmetadata+xml');
  });
  gate = await startGate({
    providers: [
      corpProvider(provider, { accessTokens: { audience: 'notes', introspection: true } }),
      { id: 'uni', protocol: 'saml', name: 'University', metadata: { url: metadata.origin } },
    ],
    rules: [{ paths: ['/**'], allow: 'signed-in', accessTokens: [{ provider: 'corp' }] }],
  });
});

afterAll(async () => {
  for (const one of [gate, metadata, provider]) await one?.[Symbol.asyncDispose]();
});

test('reads metadata of a single SAML provider up to 4 MiB', async () => {
  await expect
    .poll(() => gate.log.find(line => line.provider === 'uni'))
    .toMatchObject({
      message: 'could not read the metadata of a provider',
      code: 'SAML_MESSAGE_TOO_LARGE',
      error: expect.stringContaining(`larger than ${limits.maxSingleMetadataBytes} bytes`),
    });
  // The limit, and what the two ends of a connection hold.
  expect(metadataBytes()).toBeLessThan(25_165_824);
});

test('reports an endless introspection as an outage', async () => {
  provider.answers.endless = '/introspect';
  const answer = await gate.fetch('/x', { headers: { authorization: 'Bearer opaque' } });
  expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([503, 'PROVIDER_DOWN']);
  expect(provider.endlessBytes()).toBeLessThan(16_777_216);
});
