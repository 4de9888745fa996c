import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { serve, type TestServer } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { certificateData, createKeyPair } from '../support/simplesamlphp.ts';
import { inEnvelope, type SmallIdp, startSmallIdp } from '../support/small-idp.ts';

// The metadata of a SAML provider changes, expires or is out of reach while the gate runs.

const page = { accept: 'text/html' };
const rules = [{ paths: ['/**'], allow: 'signed-in' }];
const formerly = certificateData(createKeyPair().certificate);
let idp: SmallIdp;
let source: TestServer;
/** What the source makes of the provider's metadata; undefined for no answer at all. */
let change: ((metadata: string) => string) | undefined;
let hold: Promise<void> | undefined;
let reads = 0;
let aheadMs = 0;
let gate: TestGate;

const asIs = (metadata: string) => metadata;
const withFormerKey = (metadata: string) => metadata.replace(/<X509Certificate>[^<]*/, `<X509Certificate>${formerly}`);
const validFor = (ms: number) => (metadata: string) =>
  metadata.replace('<EntityDescriptor ', `<EntityDescriptor validUntil="${new Date(Date.now() + ms).toISOString()}" `);

beforeAll(async () => {
  idp = await startSmallIdp();
  source = await serve(async (_request, response) => {
    reads += 1;
    await hold;
    if (change === undefined) return void response.destroy();
    const metadata = await (await fetch(`${idp.origin}/metadata`)).text();
    response.setHeader('content-type', 'application/samlmetadata+xml').end(change(metadata));
  });
});

afterAll(async () => {
  for (const one of [source, idp]) await one?.[Symbol.asyncDispose]();
});

beforeEach(() => {
  [change, hold, aheadMs] = [asIs, undefined, 0];
});

async function start(): Promise<TestGate> {
  const uni = { ...idp.provider, metadata: { url: source.origin } };
  const overrides = { now: () => new Date(Date.now() + aheadMs) };
  gate = await startGate({ providers: [uni], rules }, { env: idp.env, overrides });
  reads = 0;
  return gate;
}

const beginSignIn = () => gate.fetch('/gate/sign-in?provider=uni&returnTo=/x', { headers: page });

describe('a logout that is signed with a key that the metadata did not name yet counts', () => {
  const ways: [string, () => Promise<Response>][] = [
    [
      'by POST',
      async () => {
        const { fields } = await idp.logoutRequest(gate.origin);
        return gate.fetch('/gate/uni/slo', { method: 'POST', headers: page, body: new URLSearchParams(fields) });
      },
    ],
    [
      'by redirect',
      async () => {
        const { url } = await idp.logoutRequest(gate.origin, { binding: 'HTTP-Redirect' });
        const { pathname, search } = new URL(url);
        return gate.fetch(`${pathname}${search}`, { headers: page });
      },
    ],
    [
      'by SOAP',
      async () => {
        const { xml } = await idp.logoutRequest(gate.origin);
        return gate.fetch('/gate/uni/slo', { method: 'POST', ...inEnvelope(xml) });
      },
    ],
  ];
  test.each(ways)('%s', async (_name, send) => {
    change = withFormerKey;
    await using _ = await start();
    const cookie = await sessionCookie(gate, idp.identity, idp.record);
    const me = async () => (await gate.fetch('/gate/me', { headers: { cookie } })).status;
    expect(await me()).toBe(200);
    change = asIs;
    expect([(await send()).status, await me(), reads]).toEqual([200, 401, 1]);
  });

  test('but invented ones cause no flood of readings', async () => {
    await using _ = await start();
    const { fields } = await idp.logoutRequest(gate.origin, { isStranger: true });
    const post = () => gate.fetch('/gate/uni/slo', { method: 'POST', headers: page, body: new URLSearchParams(fields) });
    const statuses = (await Promise.all([post(), post(), post()])).map(answer => answer.status);
    expect([statuses, (await post()).status, reads]).toEqual([[400, 400, 400], 400, 1]);
  });
});

test('metadata that has expired is read again by who needs it', async () => {
  change = validFor(60_000);
  await using _ = await start();
  expect((await beginSignIn()).status).toBe(303);
  aheadMs = 61_000;
  change = undefined;
  const expired = await beginSignIn();
  expect([expired.status, await expired.text(), reads]).toEqual([503, expect.stringContaining('SAML_METADATA_EXPIRED'), 1]);
  change = validFor(600_000);
  expect([(await beginSignIn()).status, reads]).toEqual([503, 1]);
  aheadMs += 5_000;
  expect([(await beginSignIn()).status, reads]).toEqual([303, 2]);
});

test('nobody waits for as long as the clock was wrong when it is set back', async () => {
  [change, aheadMs] = [undefined, 3_600_000];
  await using _ = await start();
  expect([(await beginSignIn()).status, reads]).toEqual([503, 1]);
  [change, aheadMs] = [asIs, 0];
  expect([(await beginSignIn()).status, reads]).toEqual([303, 2]);
});

test('a new configuration keeps the metadata that was read last while its source is down', async () => {
  await using _ = await start();
  change = undefined;
  await gate.app.reload(gate.readConfig({ rules: [{ paths: ['/**'], allow: 'nobody' }] }));
  // As SIGHUP does.
  await gate.app.refreshMetadata();
  expect((await beginSignIn()).status).toBe(303);
  expect((await gate.fetch('/x', { headers: page })).status).toBe(403);
});

test('a new configuration does not wait for a source that does not answer', async () => {
  await using _ = await start();
  const answer = Promise.withResolvers<void>();
  hold = answer.promise;
  await gate.app.reload(gate.readConfig({ rules: [{ paths: ['/**'], allow: 'nobody' }] }));
  expect((await gate.fetch('/x', { headers: page })).status).toBe(403);
  expect((await beginSignIn()).status).toBe(303);
  answer.resolve();
});

test('a new configuration with other settings for the metadata does not trust what was read under the old ones', async () => {
  await using _ = await start();
  const [provider] = gate.input.providers as [Record<string, unknown>];
  change = undefined;
  await gate.app.reload(gate.readConfig({ providers: [{ ...provider, wantAssertionsEncrypted: true }] }));
  expect((await beginSignIn()).status).toBe(503);
});
