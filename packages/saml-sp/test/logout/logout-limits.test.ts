import { expect, test } from 'vitest';
import { MemoryReplayStore } from '../../src/sp/replay.ts';
import { buildLogout, plainLogoutRequest, plainLogoutResponse, postLogout, receive } from '../support/logout-fixture.ts';
import { at, createServiceProvider, now, pendingLogout } from '../support/world.ts';

// Logout messages at each limit: how long one counts, and what is remembered of it.

const request = (change?: (xml: string) => string) => postLogout(buildLogout(plainLogoutRequest, change && { change }));
const ends = (seconds: number) => request(xml => xml.replace(at(120), at(seconds)));
const endless = (issued: number) => request(xml => xml.replace(/ NotOnOrAfter="[^"]*"/, '').replace(at(-5), at(issued)));
const accepted = expect.objectContaining({ kind: 'request' });

test('a LogoutRequest counts to its end and as long as clocks may differ', async () => {
  expect(await receive(ends(-59))).toEqual(accepted);
  expect(await receive(ends(-60))).toBe('SAML_LOGOUT_REQUEST');
});

test('one that names no end counts as long as a request of ours', async () => {
  const provider = createServiceProvider({ requestLifetimeSeconds: 300 });
  expect(await receive(endless(-359), { provider })).toEqual(accepted);
  expect(await receive(endless(-360), { provider })).toBe('SAML_LOGOUT_REQUEST');
});

test('it counts once to the last of these moments', async () => {
  let time = now;
  const clock = () => time;
  const provider = createServiceProvider({ now: clock, replayStore: new MemoryReplayStore({ now: clock }) });
  const http = ends(10);
  expect(await receive(http, { provider })).toEqual(accepted);
  time = new Date(now.getTime() + 69_000);
  expect(await receive(http, { provider })).toBe('SAML_REPLAYED');
});

test('two logouts of ours are two: the answer to one uses up no other', async () => {
  const provider = createServiceProvider();
  const answered = (requestId: string) =>
    receive(
      postLogout(
        buildLogout(plainLogoutResponse, {
          change: xml => xml.replace('_lresp1', `_r${requestId}`).replace(`"${pendingLogout.requestId}"`, `"${requestId}"`),
        }),
        pendingLogout.relayState,
      ),
      { provider, pending: { ...pendingLogout, requestId } },
    );
  for (const id of ['_one', '_two']) expect(await answered(id)).toMatchObject({ kind: 'response', outcome: 'complete' });
  expect(await answered('_one')).toBe('SAML_REPLAYED');
});

test('an answer that brings no RelayState back is told by what it answers', async () => {
  expect(await receive(postLogout(buildLogout(plainLogoutResponse)))).toMatchObject({ outcome: 'complete' });
});

test('where no logout address is set, none is received', async () => {
  const provider = createServiceProvider({ singleLogoutServiceUrl: undefined as never });
  expect(await receive(request(), { provider })).toBe('SAML_CONFIG_INVALID');
  const answer = postLogout(buildLogout(plainLogoutResponse), pendingLogout.relayState);
  expect(await receive(answer, { provider })).toBe('SAML_CONFIG_INVALID');
});
