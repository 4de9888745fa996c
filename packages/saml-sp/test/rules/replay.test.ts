import { describe, expect, test } from 'vitest';
import type { ServiceProvider } from '../../src/service-provider.ts';
import { MemoryReplayStore } from '../../src/sp/replay.ts';
import { buildResponse, validPieces } from '../support/response.ts';
import { at, createServiceProvider, idp, knownIdp, now, otherIdp, pending, postResponse } from '../support/world.ts';

const finish = (provider: ReturnType<typeof createServiceProvider>, xml: string | Uint8Array, under = pending) =>
  provider.finishSignIn(postResponse(xml, under.relayState), under);

describe('a request and an assertion work once (saml-profiles-2.0 4.1.4.5; replay)', () => {
  test('refuses the same Response twice: SAML_REPLAYED', async () => {
    const provider = createServiceProvider();
    const xml = buildResponse();
    await finish(provider, xml);
    await expect(finish(provider, xml)).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
  });

  test('refuses the same assertion in another Response and sign-in: SAML_REPLAYED', async () => {
    const provider = createServiceProvider({ replayStore: new MemoryReplayStore({ now: () => now }) });
    const second = { ...pending, requestId: '_request2' };
    // The assertion answers both sign-ins, so only its own ID can tell that it was used.
    const data = validPieces.confirmationData;
    const confirmation = [data, data.replace(pending.requestId, second.requestId)]
      .map(one => validPieces.confirmation.replace('{confirmationData}', one))
      .join('');
    const answerTo = ({ requestId }: typeof pending) =>
      buildResponse({
        sign: 'assertion',
        pieces: { confirmation },
        wire: xml => xml.replace(/ID="_response1"(.*?)InResponseTo="[^"]*"/, `ID="_to${requestId}"$1InResponseTo="${requestId}"`),
      });
    await finish(provider, answerTo(pending));
    await expect(finish(provider, answerTo(second), second)).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
    const untouched = createServiceProvider({ replayStore: new MemoryReplayStore({ now: () => now }) });
    await expect(finish(untouched, answerTo(second), second)).resolves.toMatchObject({ inResponseTo: '_request2' });
  });

  test('refuses a second assertion for the same request: SAML_REPLAYED', async () => {
    const provider = createServiceProvider();
    await finish(provider, buildResponse());
    const second = buildResponse({ assertion: xml => xml.replace('_assertion1', '_assertion2') });
    await expect(finish(provider, second)).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
  });

  test('accepts an unsolicited assertion once', async () => {
    const provider = createServiceProvider({ identityProviders: [knownIdp({ dangerouslyAllowUnsolicited: true })] });
    const strip = (xml: string) => xml.replaceAll(' InResponseTo="_request1"', '');
    const xml = buildResponse({ assertion: strip, response: strip });
    await provider.finishSignIn(postResponse(xml, undefined), undefined);
    await expect(provider.finishSignIn(postResponse(xml, undefined), undefined)).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
  });

  test('accepts exactly one of ten at once', async () => {
    const provider = createServiceProvider();
    const xml = buildResponse();
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => finish(provider, xml)));
    expect(outcomes.filter(outcome => outcome.status === 'fulfilled')).toHaveLength(1);
  });

  test('accepts the honest answer after a forged one', async () => {
    const provider = createServiceProvider();
    await expect(finish(provider, buildResponse({ signAssertion: { key: 'attacker' } }))).rejects.toMatchObject({
      code: 'SAML_SIGNATURE_INVALID',
    });
    await expect(finish(provider, buildResponse())).resolves.toMatchObject({ issuer: pending.identityProvider });
  });

  test('refuses when the store is full, and forgets nothing', async () => {
    const provider = createServiceProvider({ replayStore: new MemoryReplayStore({ now: () => now, maxEntries: 1 }) });
    await expect(finish(provider, buildResponse())).rejects.toMatchObject({ code: 'SAML_STORE_UNAVAILABLE', status: 503 });
  });

  /** A service provider whose clock can be moved, with a store on the same clock. */
  function moving(): { provider: ServiceProvider; clock: { seconds: number } } {
    const clock = { seconds: 0 };
    const time = () => new Date(now.getTime() + clock.seconds * 1000);
    const identityProviders = [knownIdp({ dangerouslyAllowUnsolicited: true }), otherIdp()];
    const provider = createServiceProvider({ identityProviders, now: time, replayStore: new MemoryReplayStore({ now: time }) });
    return { provider, clock };
  }
  const strip = (xml: string) => xml.replaceAll(' InResponseTo="_request1"', '');
  const confirmed = (...seconds: number[]) => ({
    confirmation: seconds
      .map(end => validPieces.confirmation.replace('{confirmationData}', validPieces.confirmationData).replace(at(300), at(end)))
      .join(''),
  });

  test.each([[[5, 300]], [[300, 5]], [[5, 5, 300]]])(
    'an unsolicited assertion with confirmations of %j seconds works once until the last of them ends',
    async ends => {
      const { provider, clock } = moving();
      const xml = buildResponse({ pieces: confirmed(...ends), assertion: strip, response: strip });
      await provider.finishSignIn(postResponse(xml, undefined), undefined);
      for (clock.seconds of [66, 200, 359])
        await expect(provider.finishSignIn(postResponse(xml, undefined), undefined)).rejects.toMatchObject({
          code: 'SAML_REPLAYED',
        });
      clock.seconds = 361;
      await expect(provider.finishSignIn(postResponse(xml, undefined), undefined)).rejects.toMatchObject({
        code: 'SAML_EXPIRED',
      });
    },
  );

  test('remembers the assertion as long as its latest confirmation', async () => {
    const { provider, clock } = moving();
    const elsewhere = validPieces.confirmation
      .replace('{confirmationData}', validPieces.confirmationData.replace('/>', ' Address="198.51.100.7"/>'))
      .replace(at(300), at(280));
    const pieces = { confirmation: confirmed(5).confirmation + elsewhere };
    const xml = buildResponse({ pieces, assertion: strip, response: strip });
    await provider.finishSignIn(postResponse(xml, undefined), undefined, { clientAddress: '192.0.2.1' });
    clock.seconds = 70;
    await expect(
      provider.finishSignIn(postResponse(xml, undefined), undefined, { clientAddress: '198.51.100.7' }),
    ).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
  });

  test('treats the same ID of another provider as another assertion', async () => {
    const claimed: string[] = [];
    const store = { claim: (key: string) => claimed.push(key) > 0, release: () => {} };
    await finish(createServiceProvider({ replayStore: store }), buildResponse());
    const other = (xml: string) => xml.replaceAll(idp.entityId, otherIdp().entityId);
    const under = { ...pending, identityProvider: otherIdp().entityId };
    const sign = { key: 'other' as const };
    const xml = buildResponse({ assertion: other, response: other, signAssertion: sign, signResponse: sign });
    await finish(createServiceProvider({ replayStore: store }), xml, under);
    const assertions = claimed.filter(key => key.startsWith('assertion:'));
    expect(new Set(assertions).size).toBe(2);
    for (const key of claimed) expect(key).toMatch(/^[\x20-\x7e]{1,200}$/);
  });

  test('reports a store outage as SAML_STORE_UNAVAILABLE (503) and accepts the form again', async () => {
    const memory = new MemoryReplayStore({ now: () => now });
    let calls = 0;
    const store = {
      claim: (key: string, until: Date) => {
        calls += 1;
        if (calls === 2) throw new Error('connection refused');
        return memory.claim(key, until);
      },
      release: (key: string) => memory.release(key),
    };
    const provider = createServiceProvider({ replayStore: store });
    const xml = buildResponse();
    await expect(finish(provider, xml)).rejects.toMatchObject({ code: 'SAML_STORE_UNAVAILABLE', status: 503 });
    await expect(finish(provider, xml)).resolves.toMatchObject({ issuer: idp.entityId });
    await expect(finish(provider, xml)).rejects.toMatchObject({ code: 'SAML_REPLAYED', status: 403 });
  });

  test.each([['OK'], [1], [undefined], [{}]])('refuses if the store answers %j', async answer => {
    const provider = createServiceProvider({ replayStore: { claim: () => answer as never, release: () => {} } });
    await expect(finish(provider, buildResponse())).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
  });
});
