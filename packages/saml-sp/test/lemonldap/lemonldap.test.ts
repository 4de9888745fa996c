import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LemonLdap, missingLemonLdap, signInAtLemonLdap, startLemonLdap } from '../../../../tools/lemonldap.ts';
import { attributeValues } from '../../src/assertion/attributes.ts';
import { readIdpMetadata } from '../../src/idp/idp-metadata.ts';
import { ServiceProvider } from '../../src/service-provider.ts';
import type { ServiceProviderOptions } from '../../src/sp/configuration.ts';
import { MemoryReplayStore } from '../../src/sp/replay.ts';
import { testKey } from '../support/keys.ts';
import { sp } from '../support/world.ts';

const title = `LemonLDAP::NG as identity provider${missingLemonLdap === undefined ? '' : ` (skipped: ${missingLemonLdap})`}`;

describe.skipIf(missingLemonLdap)(title, () => {
  const key = { privateKey: testKey('sp').privateKey, certificate: testKey('sp').certificate };
  const createSp = (more: Pick<ServiceProviderOptions, 'identityProviders'>) =>
    new ServiceProvider({
      entityId: sp.entityId,
      assertionConsumerServiceUrl: sp.acs,
      singleLogoutServiceUrl: sp.slo,
      signingKeys: [key],
      artifactResolution: {},
      replayStore: new MemoryReplayStore(),
      ...more,
    });
  let idp: LemonLdap;
  let provider: ServiceProvider;
  let entityId: string;

  beforeAll(async () => {
    idp = await startLemonLdap({ saml: createSp({ identityProviders: [] }).metadata() });
    const metadata = await (await fetch(new URL('saml/metadata', idp.portal))).text();
    const identityProviders = readIdpMetadata(metadata, { policy: { wantResponseSigned: true } });
    entityId = identityProviders[0]?.entityId ?? '';
    provider = createSp({ identityProviders });
  }, 120_000);
  afterAll(async () => await idp?.[Symbol.asyncDispose]());

  test('a sign-in by Redirect and POST', async () => {
    const { send, pending } = await provider.startSignIn(entityId, { binding: 'redirect', returnTo: '/notes' });
    if (send.kind !== 'redirect') throw new Error('not a redirect');
    const { url, fields } = await signInAtLemonLdap(idp, send.url);
    expect(url).toBe(sp.acs);
    const request = { method: 'POST', url: '/saml/acs', body: fields };
    const identity = await provider.finishSignIn(request, pending);
    expect(identity).toMatchObject({ issuer: entityId, nameId: { value: 'dwho@badwolf.org' }, returnTo: '/notes' });
    expect(attributeValues(identity.attributes, 'cn')).toEqual(['Doctor Who']);
    await expect(provider.finishSignIn(request, pending)).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
  }, 60_000);

  test('a sign-in by artifact', async () => {
    const { send, pending } = await provider.startSignIn(entityId, { binding: 'redirect', responseBinding: 'artifact' });
    if (send.kind !== 'redirect') throw new Error('not a redirect');
    const { url } = await signInAtLemonLdap(idp, send.url);
    expect(url).toMatch(/^https:\/\/sp\.example\.org\/saml\/acs\?.*SAMLart=/);
    expect(await provider.finishSignIn(url, pending)).toMatchObject({ nameId: { value: 'dwho@badwolf.org' } });
  }, 60_000);

  test('gets no answer to a request that someone else signed', async () => {
    const { send } = await provider.startSignIn(entityId, { binding: 'redirect' });
    if (send.kind !== 'redirect') throw new Error('not a redirect');
    const forged = new URL(send.url);
    forged.searchParams.set('RelayState', 'another');
    await expect(signInAtLemonLdap(idp, forged.href)).rejects.toThrow();
  }, 60_000);
});
