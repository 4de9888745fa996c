import { describe, expect, test } from 'vitest';
import { readEmail } from './email.ts';
import { createReservedNames } from './header-names.ts';
import type { Identity } from './identity.ts';
import { defaultHeaderNames, identityHeaders } from './identity-headers.ts';
import type { Rule } from './rule.ts';

const ada: Identity = {
  provider: 'corp',
  issuer: 'https://op.example',
  subject: 'ada',
  email: readEmail('ada@example.org'),
  isEmailTrusted: true,
  name: 'Ada',
  groups: ['staff', 'board'],
  claims: {},
};
const headersOf = (more: Partial<Identity>) => Object.fromEntries(identityHeaders({ ...ada, ...more }, defaultHeaderNames));

describe('identity headers', () => {
  test('those of the contract', () => {
    expect(headersOf({})).toEqual({
      'X-Auth-Subject': 'ada',
      'X-Auth-Issuer': 'https://op.example',
      'X-Auth-Email': 'ada@example.org',
      'X-Auth-Name': 'Ada',
      'X-Auth-Groups': 'staff,board',
    });
    expect(identityHeaders(undefined, defaultHeaderNames)).toEqual([]);
  });

  test('an address that nobody vouches for is not sent', () => {
    expect(headersOf({ isEmailTrusted: false })['X-Auth-Email']).toBeUndefined();
  });

  test.each(['Ada\r\nX-Auth-Groups: admin', 'Ädä', '李', 'a\u0000', ' lead', '\ud800', "UTF-8''admin", 'a\u2028b'])(
    'the name %j cannot break a line or be read twice',
    name => {
      const value = headersOf({ name })['X-Auth-Name'] as string;
      expect(value).toMatch(/^UTF-8''[\x21-\x7e]*$/);
      expect(decodeURIComponent(value.slice("UTF-8''".length))).toBe(name.toWellFormed());
    },
  );

  test('what is kept for a person holds for the same names and the same rule only', () => {
    const rule = (headers: Rule['headers']): Rule => ({
      number: 1,
      methods: undefined,
      paths: [],
      allow: { kind: 'signed-in' },
      accessTokens: [],
      headers,
    });
    const names = { 'X-User': 'subject' } as const;
    const withProvider = rule({ 'X-Provider': 'provider' });
    const withMail = rule({ 'X-Mail': 'email' });
    for (const time of [1, 2]) {
      expect(identityHeaders(ada, names), `${time}`).toEqual([['X-User', 'ada']]);
      expect(identityHeaders(ada, { Name: 'name' }), `${time}`).toEqual([['Name', 'Ada']]);
      const provider = identityHeaders(ada, names, withProvider);
      expect(provider, `${time}`).toEqual([
        ['X-User', 'ada'],
        ['X-Provider', 'corp'],
      ]);
      // What is added for one request is not added to the next one.
      provider.push(['X-Other', 'x']);
      for (const _again of [1, 2]) {
        const kept = identityHeaders(ada, names, withProvider);
        expect(kept, `${time}`).toHaveLength(2);
        kept.push(['X-Other', 'x']);
      }
      expect(identityHeaders(ada, names, withMail), `${time}`).toContainEqual(['X-Mail', 'ada@example.org']);
    }
  });

  test('a person is written once, as long as names and rule are the same', () => {
    const told: unknown[] = [];
    const long: Identity = { ...ada, groups: ['g'.repeat(4097)] };
    for (const _ of [1, 2]) identityHeaders(long, defaultHeaderNames, undefined, (...words) => told.push(words));
    expect(told).toEqual([['X-Auth-Groups', 4097]]);
  });

  test('what a person lacks gets no header, nor what servers would refuse for its length', () => {
    expect(headersOf({ email: undefined, name: undefined, groups: [] })).toEqual({
      'X-Auth-Subject': 'ada',
      'X-Auth-Issuer': 'https://op.example',
    });
    expect(headersOf({ groups: ['g'.repeat(4096)] })['X-Auth-Groups']).toHaveLength(4096);
    expect(headersOf({ groups: ['g'.repeat(4097)] })).not.toHaveProperty('X-Auth-Groups');
    expect(headersOf({ name: 'A' })['X-Auth-Name']).toBe('A');
    expect(headersOf({ name: "Ä*'()" })['X-Auth-Name']).toBe("UTF-8''%C3%84%2A%27%28%29");
  });

  test('a group cannot name two', () => {
    expect(headersOf({ groups: ['a,admin', 'b\nc', '50%', 'ü', 'x y'] })['X-Auth-Groups']).toBe(
      'a%2Cadmin,b%0Ac,50%25,%C3%BC,x%20y',
    );
  });
});

describe('names that only the gate may send', () => {
  const isReserved = createReservedNames(['X-Auth-Subject', 'Remote-User', 'X-Forwarded-User']);
  test.each([
    'X-Auth-Subject',
    'x-auth-subject',
    'X_Auth_Subject',
    'x_AUTH-subject',
    'X.Auth.Subject',
    'X-Auth-Anything',
    'x_auth_anything',
    'REMOTE_USER',
    'remote.user',
    'X_Forwarded_User',
    'x-forwarded_user',
    'X-Forwarded.User',
    'X~Auth~Subject',
    "X'Auth'Subject",
    'X!Forwarded-User',
  ])('%s', name => expect(isReserved(name)).toBe(true));
  test.each(['X-Authentic', 'Remote-Users', 'Authorization', 'X-Auth', 'Accept'])('%s is none of them', name =>
    expect(isReserved(name)).toBe(false),
  );
});
