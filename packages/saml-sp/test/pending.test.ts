import { describe, expect, test } from 'vitest';
import { buildLogout, plainLogoutResponse, postLogout } from './support/logout-fixture.ts';
import { buildResponse } from './support/response.ts';
import { createServiceProvider, idp, pending, pendingLogout, postResponse, sp } from './support/world.ts';

const without = (whole: object, name: string) => Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name));
const damaged = (whole: object): [string, unknown][] => [
  ['null', null],
  ['text', JSON.stringify(whole)],
  ['a number', 5],
  ['an array', [whole]],
  ['an empty object', {}],
  ...Object.keys(whole)
    .filter(name => name !== 'returnTo')
    .map((name): [string, unknown] => [`without ${name}`, without(whole, name)]),
  ['a member of another record', { ...whole, admin: true }],
  ['a member named __proto__', JSON.parse(`{"__proto__":{},${JSON.stringify(whole).slice(1)}`)],
  ['times as ISO text', { ...whole, expiresAt: '2026-11-20T12:00:00Z' }],
  ['times as text', { ...whole, expiresAt: '1795176570' }],
  ['expiresAt NaN', { ...whole, expiresAt: Number.NaN }],
  ['expiresAt infinite', { ...whole, expiresAt: Number.POSITIVE_INFINITY }],
  ['expiresAt null, as JSON writes NaN', { ...whole, expiresAt: null }],
  ['an identityProvider that is an array', { ...whole, identityProvider: [idp.entityId] }],
  ['a returnTo on another site', { ...whole, returnTo: '//evil.example' }],
];

describe('a damaged pending sign-in is refused, never read without a field', () => {
  test.each([
    ...damaged(pending),
    ['forceAuthn as text', { ...pending, forceAuthn: 'false' }],
    ['authnContexts as text', { ...pending, authnContexts: 'urn:a' }],
    ['an unknown comparison', { ...pending, authnContextComparison: 'like' }],
    ['another party’s address', { ...pending, assertionConsumerServiceUrl: 'https://evil.example/acs' }],
    ['a pending sign-out', pendingLogout],
  ])('%s', async (_name, kept) => {
    const finished = createServiceProvider().finishSignIn(postResponse(buildResponse()), kept as never);
    await expect(finished).rejects.toMatchObject({ code: 'SAML_PENDING_INVALID', status: 400 });
  });

  test('survives JSON', async () => {
    const kept = JSON.parse(JSON.stringify(pending)) as typeof pending;
    await expect(createServiceProvider().finishSignIn(postResponse(buildResponse()), kept)).resolves.toMatchObject({
      returnTo: '/notes',
    });
  });

  test('names the member in the refusal, not its value', async () => {
    const kept = { ...pending, relayState: { secret: 'value' } as never };
    const finished = createServiceProvider().finishSignIn(postResponse(buildResponse()), kept);
    await expect(finished).rejects.toThrow('pending.relayState: expected a string of 1 to 80 characters, got an object');
  });
});

describe('refuses a damaged pending sign-out', () => {
  test.each([...damaged(pendingLogout), ['a pending sign-in', pending]])('%s', async (_name, kept) => {
    const received = createServiceProvider().receiveLogout(
      postLogout(buildLogout(plainLogoutResponse), pendingLogout.relayState),
      kept as never,
    );
    await expect(received).rejects.toMatchObject({ code: 'SAML_PENDING_INVALID' });
  });
});

test('the assertion consumer service that was asked for is the one that counts', async () => {
  const second = `${sp.acs}/second`;
  const provider = () => createServiceProvider({ assertionConsumerServiceUrl: [sp.acs, second] });
  const toSecond = (xml: string) => xml.replaceAll(`"${sp.acs}"`, `"${second}"`);
  const answer = postResponse(buildResponse({ assertion: toSecond, response: toSecond }));
  await expect(provider().finishSignIn(answer, { ...pending, assertionConsumerServiceUrl: second })).resolves.toBeDefined();
  await expect(provider().finishSignIn(answer, pending)).rejects.toMatchObject({ code: 'SAML_DESTINATION' });
  const mixed = postResponse(buildResponse({ response: xml => xml.replace(`"${sp.acs}"`, `"${second}"`) }));
  await expect(provider().finishSignIn(mixed, { ...pending, assertionConsumerServiceUrl: second })).rejects.toMatchObject({
    code: 'SAML_RECIPIENT',
  });
});
