import { expect, test } from 'vitest';
import type { AuditEvent } from '../../src/sp/audit.ts';
import { buildLogout, plainLogoutRequest, plainLogoutResponse, postLogout } from '../support/logout-fixture.ts';
import { buildResponse } from '../support/response.ts';
import { createServiceProvider, idp, now, pending, pendingLogout, postResponse } from '../support/world.ts';

const nameId = {
  value: 'alice',
  format: undefined,
  nameQualifier: undefined,
  spNameQualifier: undefined,
  spProvidedId: undefined,
};

function audited() {
  const events: AuditEvent[] = [];
  return { events, provider: createServiceProvider({ audit: event => void events.push(event) }) };
}

test('reports each message once, and names no one', async () => {
  const { events, provider } = audited();
  const started = await provider.startSignIn(idp.entityId, { returnTo: '/notes' });
  const response = postResponse(buildResponse());
  await provider.finishSignIn(response, pending);
  await expect(provider.finishSignIn(response, pending)).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
  const out = await provider.startSignOut(idp.entityId, { nameId, sessionIndexes: ['_session1'] });
  await provider.receiveLogout(postLogout(buildLogout(plainLogoutResponse), pendingLogout.relayState), pendingLogout);
  await provider.receiveLogout(postLogout(buildLogout(plainLogoutRequest)), undefined);
  const common = { outcome: 'accepted', identityProvider: idp.entityId, at: now };
  expect(events).toEqual([
    { ...common, event: 'sign-in-started', requestId: started.pending.requestId },
    { ...common, event: 'sign-in-finished', requestId: '_request1', assertionId: '_assertion1' },
    expect.objectContaining({
      ...common,
      event: 'sign-in-finished',
      outcome: 'refused',
      code: 'SAML_REPLAYED',
      requestId: '_request1',
    }),
    { ...common, event: 'sign-out-started', requestId: out.pending.requestId },
    { ...common, event: 'logout-response' },
    { ...common, event: 'logout-request', requestId: '_lr1' },
  ]);
  expect(JSON.stringify(events)).not.toMatch(/alice|notes|relay-/);
});

test('reports a refusal with its code, even for an unreadable message', async () => {
  const { events, provider } = audited();
  await expect(provider.finishSignIn(postResponse('no XML'), undefined)).rejects.toThrow();
  const forged = postResponse(buildResponse({ signAssertion: { key: 'attacker' } }));
  await expect(provider.finishSignIn(forged, pending)).rejects.toThrow();
  expect(events.map(({ outcome, code, identityProvider }) => [outcome, code, identityProvider])).toEqual([
    ['refused', 'SAML_XML_MALFORMED', undefined],
    ['refused', 'SAML_SIGNATURE_INVALID', idp.entityId],
  ]);
});

test('signs people in even if the log fails', async () => {
  const audit = () => {
    throw new Error('the log is down');
  };
  const identity = await createServiceProvider({ audit }).finishSignIn(postResponse(buildResponse()), pending);
  expect(identity.nameId?.value).toBe('alice');
});
