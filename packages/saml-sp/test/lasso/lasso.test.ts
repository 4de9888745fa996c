import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { IdentityProviderPolicy } from '../../src/idp/identity-provider.ts';
import { readIdpMetadata } from '../../src/idp/idp-metadata.ts';
import { ServiceProvider } from '../../src/service-provider.ts';
import { MemoryReplayStore } from '../../src/sp/replay.ts';
import { bindings } from '../../src/xml/names.ts';
import { endpoint, entity, keyDescriptor } from '../support/idp-metadata-fixture.ts';
import { testKey } from '../support/keys.ts';
import { idp, sp } from '../support/world.ts';

const python = '/usr/bin/python3';
const installed = spawnSync(python, ['-c', 'import lasso']).status === 0;
const script = fileURLToPath(new URL('./idp.py', import.meta.url));
const metadata = entity({
  keys: keyDescriptor('idp'),
  sso: endpoint('SingleSignOnService', idp.sso, bindings.redirect),
  slo: endpoint('SingleLogoutService', idp.slo, bindings.redirect),
});

function createSp(policy: Partial<IdentityProviderPolicy> = {}): ServiceProvider {
  const key = { privateKey: testKey('sp').privateKey, certificate: testKey('sp').certificate };
  return new ServiceProvider({
    entityId: sp.entityId,
    assertionConsumerServiceUrl: sp.acs,
    singleLogoutServiceUrl: sp.slo,
    signingKeys: [key],
    decryptionKeys: [key],
    identityProviders: readIdpMetadata(metadata, { policy }),
    replayStore: new MemoryReplayStore(),
  });
}

/** One message through lasso as identity provider, in a process of its own. */
function ask(provider: ServiceProvider, job: Record<string, unknown>): Record<string, string> {
  const instant = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+Z/, 'Z');
  const whole = {
    idpMetadata: metadata,
    spMetadata: provider.metadata(),
    spEntityId: provider.entityId,
    key: testKey('idp').privateKey.export({ type: 'pkcs8', format: 'pem' }),
    certificate: testKey('idp').certificate,
    now: instant(0),
    before: instant(-30),
    after: instant(300),
    ...job,
  };
  const run = spawnSync(python, [script], { input: JSON.stringify(whole), encoding: 'utf8', timeout: 60_000 });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as Record<string, string>;
}

const queryOf = (url: string): string => url.slice(url.indexOf('?') + 1);
const post = (answer: Record<string, string>, change = (xml: string) => xml) => ({
  method: 'POST',
  url: '/saml/acs',
  body: {
    SAMLResponse: Buffer.from(change(Buffer.from(answer.body ?? '', 'base64').toString())).toString('base64'),
    RelayState: answer.relayState,
  },
});

describe.skipIf(!installed)('with lasso as identity provider (python3-lasso is not installed)', () => {
  test('a sign-in: it reads our metadata and our signed request, we read its answer, once', async () => {
    const provider = createSp();
    const { send, pending } = await provider.startSignIn(idp.entityId);
    const answer = ask(provider, { do: 'sign-in', query: queryOf(send.url) });
    expect(answer.url).toBe(sp.acs);
    await expect(
      provider.finishSignIn(
        post(answer, xml => xml.replace('>alice<', '>admin<')),
        pending,
      ),
    ).rejects.toMatchObject({
      code: 'SAML_SIGNATURE_INVALID',
    });
    const identity = await provider.finishSignIn(post(answer), pending);
    expect(identity).toMatchObject({ issuer: idp.entityId, nameId: { value: 'alice' } });
    await expect(provider.finishSignIn(post(answer), pending)).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
  });

  test('lasso refuses a request that was changed on the way', async () => {
    const provider = createSp();
    const { send } = await provider.startSignIn(idp.entityId);
    expect(() => ask(provider, { do: 'sign-in', query: queryOf(send.url).replace('RelayState=', 'RelayState=x') })).toThrow(
      /signature/i,
    );
  });

  test('encrypted: its CBC is refused', async () => {
    const careful = createSp();
    const first = await careful.startSignIn(idp.entityId);
    const refused = ask(careful, { do: 'sign-in', query: queryOf(first.send.url), encrypt: true });
    await expect(careful.finishSignIn(post(refused), first.pending)).rejects.toMatchObject({ code: 'SAML_ENCRYPTION_PROFILE' });
  });

  test('completes a logout that we start', async () => {
    const provider = createSp();
    const started = await provider.startSignIn(idp.entityId);
    const answer = ask(provider, { do: 'sign-in', query: queryOf(started.send.url) });
    const identity = await provider.finishSignIn(post(answer), started.pending);
    if (identity.nameId === undefined) throw new Error('no NameID');
    const index = identity.authentication?.sessionIndex;
    const { send, pending } = await provider.startSignOut(idp.entityId, {
      nameId: identity.nameId,
      sessionIndexes: index === undefined ? [] : [index],
    });
    const { url = '' } = ask(provider, {
      do: 'logout',
      query: queryOf(send.url),
      session: answer.session,
      identity: answer.identity,
    });
    expect(await provider.receiveLogout(url, pending)).toMatchObject({ kind: 'response' });
  });
});
