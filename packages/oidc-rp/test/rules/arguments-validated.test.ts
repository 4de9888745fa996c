import { expect, test } from 'vitest';
import {
  createPkce,
  discoveryUrl,
  frontChannelLogoutHeaders,
  identityKey,
  isPrivateAddress,
  LogoutTombstones,
  logoutCoverage,
  MemoryReplayStore,
  refusePrivateAddresses,
  withUserInfo,
} from '../../src/index.ts';
import { openSystemBrowser, signInWithLoopback } from '../../src/native.ts';
import { errorOf } from '../support/expect-refused.ts';

// What stands alone is called with whatever a program has at hand: a session that came back empty, a setting that is not there.

const claims = { iss: 'https://op.example', sub: 'sub-1' };
const loopback = { issuer: 'https://op.example', clientId: 'desktop' };

test.each<[string, string, unknown, (given: never) => unknown]>([
  ['identityKey', 'identity', undefined, identityKey],
  ['identityKey', 'identity', 'sub-1', identityKey],
  ['identityKey', 'identity.issuer', { subject: 'sub-1' }, identityKey],
  ['identityKey', 'identity.subject', { issuer: 'https://op.example' }, identityKey],
  ['discoveryUrl', 'issuer', undefined, discoveryUrl],
  ['discoveryUrl', 'issuer', 'op.example', discoveryUrl],
  ['frontChannelLogoutHeaders', 'issuer', undefined, frontChannelLogoutHeaders],
  ['frontChannelLogoutHeaders', 'issuer', 'javascript:x', frontChannelLogoutHeaders],
  ['createPkce', 'environment', null, createPkce],
  ['createPkce', 'environment.randomBytes', {}, createPkce],
  ['isPrivateAddress', 'address', undefined, isPrivateAddress],
  ['isPrivateAddress', 'address', { address: '10.0.0.1', family: 4 }, isPrivateAddress],
  ['refusePrivateAddresses', 'resolve', {}, refusePrivateAddresses],
  ['logoutCoverage', 'logout', undefined, given => logoutCoverage(given, claims)],
  ['logoutCoverage', 'logout.issuer', { sid: 'a' }, given => logoutCoverage(given, claims)],
  ['logoutCoverage', 'claims', undefined, given => logoutCoverage({ issuer: claims.iss }, given)],
  ['logoutCoverage', 'claims.iss', { sub: 'sub-1' }, given => logoutCoverage({ issuer: claims.iss }, given)],
  ['logoutCoverage', 'claims.sub', { iss: claims.iss }, given => logoutCoverage({ issuer: claims.iss }, given)],
  ['withUserInfo', 'claims', undefined, given => withUserInfo(given, { sub: 'sub-1' })],
  ['withUserInfo', 'claims.sub', { iss: claims.iss }, given => withUserInfo(given, { sub: 'sub-1' })],
  ['withUserInfo', 'userInfo', undefined, given => withUserInfo(claims as never, given)],
  ['withUserInfo', 'userInfo.sub', {}, given => withUserInfo(claims as never, given)],
  ['LogoutTombstones', 'clock', null, given => new LogoutTombstones(given)],
  ['LogoutTombstones', 'clock.now', { now: 7 }, given => new LogoutTombstones(given)],
  ['LogoutTombstones', 'memorySeconds', Number.NaN, given => new LogoutTombstones({}, given)],
  ['MemoryReplayStore', 'clock', () => new Date(), given => new MemoryReplayStore(given)],
  ['openSystemBrowser', 'url', undefined, openSystemBrowser],
  ['openSystemBrowser', 'url', 'https://op.example/authorize', openSystemBrowser],
  ['signInWithLoopback', 'options', undefined, signInWithLoopback],
  ['signInWithLoopback', 'options.now', { ...loopback, now: 7 }, signInWithLoopback],
  ['signInWithLoopback', 'options.randomBytes', { ...loopback, randomBytes: 'x' }, signInWithLoopback],
])('%s: refuses %s by name (%j)', async (_name, check, given, call) => {
  const error = await errorOf((async () => call(given as never))());
  expect([error.code, error.check, error.status]).toEqual(['OIDC_CONFIG_INVALID', check, 500]);
});

test('refuses the address and names a resolver that returns lookup objects instead of strings', async () => {
  const guard = refusePrivateAddresses((async () => [{ address: '93.184.216.34', family: 4 }]) as never);
  expect(await errorOf(guard(new URL('https://op.example')))).toMatchObject({
    code: 'OIDC_CONFIG_INVALID',
    check: 'resolve.answer[0]',
  });
});
