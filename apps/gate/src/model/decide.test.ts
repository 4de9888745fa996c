import { describe, expect, test } from 'vitest';
import { decide } from './decide.ts';
import { readEmail } from './email.ts';
import type { Identity } from './identity.ts';
import { type PathPattern, readPathPattern } from './path-pattern.ts';
import type { Allow, Rule } from './rule.ts';

const rule = (number: number, paths: string[], allow: Allow, more: Partial<Rule> = {}): Rule => ({
  number,
  methods: undefined,
  paths: paths.map(path => readPathPattern(path, false) as PathPattern),
  allow,
  accessTokens: [],
  headers: {},
  ...more,
});
const people = (...any: Extract<Allow, { kind: 'people' }>['any']): Allow => ({ kind: 'people', any });
const person = (more: Partial<Identity> & { address?: string } = {}): Identity => ({
  provider: 'corp',
  issuer: 'https://op.example',
  subject: 'ada',
  email: readEmail(more.address ?? 'ada@example.org'),
  isEmailTrusted: true,
  name: undefined,
  groups: ['staff'],
  claims: {},
  ...more,
});
const get = (path: string) => ({ method: 'GET', path });

describe('decide', () => {
  const rules = [
    rule(1, ['/api/notebooks'], people({ provider: 'corp', groups: ['staff'] }), { methods: ['POST'] }),
    rule(2, ['/', '/new'], { kind: 'signed-in' }),
    rule(3, ['/closed/**'], { kind: 'nobody' }),
    rule(4, ['/api/**', '/n/**'], { kind: 'anyone' }),
  ];

  test('the first rule that fits decides', () => {
    expect(decide({ method: 'POST', path: '/api/notebooks' }, undefined, rules)).toMatchObject({
      kind: 'sign-in',
      providers: ['corp'],
    });
    expect(decide(get('/api/notebooks'), undefined, rules)).toMatchObject({ kind: 'allow', rule: { number: 4 } });
    expect(decide(get('/new'), undefined, rules)).toMatchObject({ kind: 'sign-in', providers: undefined });
    expect(decide(get('/new'), person(), rules)).toMatchObject({ kind: 'allow', rule: { number: 2 } });
  });

  test('what no rule names is denied, signed in or not', () => {
    expect(decide(get('/other'), undefined, rules)).toMatchObject({ kind: 'deny', why: 'no-rule' });
    expect(decide(get('/other'), person(), rules)).toMatchObject({ kind: 'deny', why: 'no-rule' });
    expect(decide(get('/closed/x'), person(), rules)).toMatchObject({ kind: 'deny', why: 'nobody' });
    expect(decide(get('/x'), undefined, [])).toMatchObject({ kind: 'deny' });
  });

  test('a rule for GET holds for HEAD', () => {
    expect(
      decide({ method: 'HEAD', path: '/x' }, undefined, [rule(1, ['/x'], { kind: 'anyone' }, { methods: ['GET'] })]).kind,
    ).toBe('allow');
    expect(
      decide({ method: 'OPTIONS', path: '/x' }, undefined, [rule(1, ['/x'], { kind: 'anyone' }, { methods: ['GET'] })]).kind,
    ).toBe('deny');
  });

  const one = (allow: Allow, who: Identity) => decide(get('/x'), who, [rule(1, ['/x'], allow)]);

  test('no provider speaks for another', () => {
    expect(one(people({ provider: 'corp', groups: ['staff'] }), person({ provider: 'uni' }))).toMatchObject({
      kind: 'deny',
      why: 'other-provider',
    });
    expect(one(people({ provider: 'corp', emails: ['ada@example.org'] }), person({ provider: 'uni' })).kind).toBe('deny');
  });

  test('groups, addresses and claims must all hold', () => {
    const demand = { provider: 'corp', groups: ['staff', 'board'], emailDomains: ['example.org'], claims: { level: ['3', '4'] } };
    expect(one(people(demand), person({ claims: { level: ['4'] } })).kind).toBe('allow');
    expect(one(people(demand), person({ claims: { level: ['2'] } }))).toMatchObject({ kind: 'deny', why: 'not-among' });
    expect(one(people(demand), person({ claims: { level: ['4'] }, groups: [] })).kind).toBe('deny');
    expect(one(people(demand), person({ claims: { level: ['4'] }, address: 'a@example.org.evil.example' })).kind).toBe('deny');
    expect(one(people({ provider: 'corp', claims: { constructor: ['x'] } }), person()).kind).toBe('deny');
  });

  test('an address that nobody vouches for counts as none', () => {
    for (const demand of [
      { provider: 'corp', emailDomains: ['example.org'] },
      { provider: 'corp', emails: ['ada@example.org'] },
    ]) {
      expect(one(people(demand), person()).kind).toBe('allow');
      expect(one(people(demand), person({ isEmailTrusted: false })).kind).toBe('deny');
      expect(one(people(demand), person({ email: undefined })).kind).toBe('deny');
    }
  });

  test('an address counts however its name is written', () => {
    const allow = people({ provider: 'corp', emails: ['ada.l@example.org'] });
    expect(one(allow, person({ address: 'Ada.L@example.org' })).kind).toBe('allow');
    expect(one(allow, person({ address: 'adal@example.org' })).kind).toBe('deny');
  });

  test('of several demands one is enough', () => {
    const allow = people({ provider: 'corp', groups: ['board'] }, { provider: 'uni' });
    expect(one(allow, person({ provider: 'uni', groups: [] })).kind).toBe('allow');
    expect(one(allow, person()).kind).toBe('deny');
  });

  test('of several demands on an access token one is enough', () => {
    const demand = (scopes: string[]) => ({ provider: 'corp', audience: 'notes', scopes });
    const two = [rule(1, ['/x'], { kind: 'signed-in' }, { accessTokens: [demand(['admin']), demand(['read'])] })];
    expect(decide(get('/x'), person({ scopes: ['read'] }), two).kind).toBe('allow');
    expect(decide(get('/x'), person({ scopes: ['write'] }), two)).toMatchObject({ kind: 'deny', why: 'scope' });
  });

  test('an access token counts only where the rule takes it, with all its scopes', () => {
    const tokens = { accessTokens: [{ provider: 'corp', audience: 'notes', scopes: ['read', 'write'] }] };
    const decision = (scopes: string[], more: Partial<Rule> = tokens) =>
      decide(get('/x'), person({ scopes }), [rule(1, ['/x'], { kind: 'signed-in' }, more)]);
    expect(decision(['read', 'write', 'more']).kind).toBe('allow');
    expect(decision(['read'])).toMatchObject({ kind: 'deny', why: 'scope' });
    expect(decision(['read', 'write'], {})).toMatchObject({ kind: 'deny', why: 'token-not-accepted' });
    expect(
      decide(get('/x'), person({ provider: 'uni', scopes: ['read', 'write'] }), [rule(1, ['/x'], { kind: 'signed-in' }, tokens)])
        .kind,
    ).toBe('deny');
  });
});
