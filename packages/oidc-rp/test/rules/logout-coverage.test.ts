import { expect, test } from 'vitest';
import { logoutCoverage } from '../../src/index.ts';

const issuer = 'https://op.example';
const mine = { iss: issuer, sub: 'sub-1', sid: 'session-1' };

test.each([
  ['the session by its id', { issuer, sid: 'session-1' }, mine, 'covered'],
  ['the session by id and person', { issuer, sid: 'session-1', subject: 'sub-1' }, mine, 'covered'],
  ['all sessions of the person', { issuer, subject: 'sub-1' }, mine, 'covered'],
  [
    'all sessions of the person, without a session id in the ID Token',
    { issuer, subject: 'sub-1' },
    { ...mine, sid: undefined },
    'covered',
  ],
  ['another session', { issuer, sid: 'session-2' }, mine, 'other'],
  ['another person', { issuer, subject: 'sub-2' }, mine, 'other'],
  ['our session id with another person', { issuer, sid: 'session-1', subject: 'sub-2' }, mine, 'other'],
  ['another provider', { issuer: 'https://two.example', sid: 'session-1' }, mine, 'other'],
  ['nobody', { issuer }, mine, 'other'],
  ['a session, where the ID Token named none', { issuer, sid: 'session-1' }, { ...mine, sid: undefined }, 'unknown-sid'],
] as const)('a logout of %s', (_whom, logout, claims, verdict) => {
  const { sid, ...rest } = claims;
  expect(logoutCoverage(logout, sid === undefined ? rest : { ...rest, sid })).toBe(verdict);
});
