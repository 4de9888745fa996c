import { describe, expect, test } from 'vitest';
import { MemoryReplayStore } from '../../src/replay.ts';
import { buildResponse } from '../support/response.ts';
import { createServiceProvider, knownIdp, now, pending, postResponse } from '../support/world.ts';

const finish = (provider: ReturnType<typeof createServiceProvider>, xml: string | Uint8Array, under = pending) =>
  provider.finishSignIn({ http: postResponse(xml, under.relayState), pending: under });

describe('one use of a request and of an assertion (saml-profiles-2.0 4.1.4.5; V26)', () => {
  test('the same Response twice is SAML_REPLAYED', async () => {
    const provider = createServiceProvider();
    const xml = buildResponse();
    await finish(provider, xml);
    await expect(finish(provider, xml)).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
  });

  test('the same assertion in another Response and for another pending sign-in is SAML_REPLAYED', async () => {
    const provider = createServiceProvider({ replayStore: new MemoryReplayStore({ now: () => now }) });
    await finish(provider, buildResponse());
    const again = buildResponse({ response: xml => xml.replace('ID="_response1"', 'ID="_response2"') });
    await expect(finish(provider, again)).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
  });

  test('the same request answered by two assertions is SAML_REPLAYED', async () => {
    const provider = createServiceProvider();
    await finish(provider, buildResponse());
    const second = buildResponse({ assertion: xml => xml.replace('_assertion1', '_assertion2') });
    await expect(finish(provider, second)).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
  });

  test('an unsolicited assertion works once', async () => {
    const provider = createServiceProvider({ identityProviders: [knownIdp({ dangerouslyAllowUnsolicited: true })] });
    const strip = (xml: string) => xml.replaceAll(' InResponseTo="_request1"', '');
    const xml = buildResponse({ assertion: strip, response: strip });
    await provider.finishSignIn({ http: postResponse(xml, undefined) });
    await expect(provider.finishSignIn({ http: postResponse(xml, undefined) })).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
  });

  test('of ten at once exactly one succeeds', async () => {
    const provider = createServiceProvider();
    const xml = buildResponse();
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => finish(provider, xml)));
    expect(outcomes.filter(outcome => outcome.status === 'fulfilled')).toHaveLength(1);
  });

  test('a forged answer uses nothing up: the honest one still works', async () => {
    const provider = createServiceProvider();
    await expect(finish(provider, buildResponse({ signAssertion: { key: 'attacker' } }))).rejects.toMatchObject({
      code: 'SAML_SIGNATURE_INVALID',
    });
    await expect(finish(provider, buildResponse())).resolves.toMatchObject({ issuer: pending.identityProvider });
  });

  test('a store that is full refuses rather than forgets', async () => {
    const provider = createServiceProvider({ replayStore: new MemoryReplayStore({ now: () => now, maxEntries: 1 }) });
    await expect(finish(provider, buildResponse())).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
  });
});
