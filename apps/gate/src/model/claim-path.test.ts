import { describe, expect, test } from 'vitest';
import { claimOf, leadsInto, readClaim } from './claim-path.ts';

const claims = {
  groups: ['staff'],
  realm_access: { roles: ['editor'] },
  resource_access: { wiki: { roles: ['reader'] }, 'my.app': { roles: ['writer'] }, my: { roles: ['other'] } },
  'https://example.com/groups': ['board'],
  'dotted.name': ['literal'],
  dotted: { name: ['nested'] },
  empty: null,
  list: [{ roles: ['x'] }],
};

describe('the value of a claim', () => {
  test.each([
    ['groups', ['staff']],
    ['realm_access.roles', ['editor']],
    ['resource_access.wiki.roles', ['reader']],
    ['resource_access.my.app.roles', ['writer']],
    ['resource_access.my.roles', ['other']],
    ['https://example.com/groups', ['board']],
    ['dotted.name', ['literal']],
  ])('%s', (name, value) => expect(readClaim(claims, name)).toEqual(value));

  test.each([
    'roles',
    'realm_access.',
    '.realm_access',
    'realm_access..roles',
    'realm_access.roles.0',
    'realm_access.roles.length',
    'groups.length',
    'empty.roles',
    'list.roles',
    'list.0',
    'constructor',
    'realm_access.constructor.name',
    '__proto__.toString',
    'https://example.com/other',
    '',
    '.',
  ])('%j leads nowhere', name => expect(readClaim(claims, name)).toBeUndefined());

  test('of a name without end, nothing is searched but the whole', () => {
    const name = `a${'.a'.repeat(1000)}`;
    expect(readClaim({ a: {} }, name)).toBeUndefined();
    expect(readClaim({ [name]: ['x'] }, name)).toEqual(['x']);
    let deep: Record<string, unknown> = { a: ['x'] };
    for (let level = 0; level < 1000; level += 1) deep = { a: deep };
    expect(readClaim(deep, name)).toBeUndefined();
  });
});

test('which claims a name leads into', () => {
  for (const claim of ['realm_access', 'realm_access.roles']) expect(leadsInto('realm_access.roles', claim), claim).toBe(true);
  for (const claim of ['realm', 'roles', 'realm_access.roles.x', 'realm_access.', ''])
    expect(leadsInto('realm_access.roles', claim), claim).toBe(false);
});

test('the claim that a name begins with, up to eight dots', () => {
  expect(claimOf({ a: 1, 'a.b': 2 }, 'a.b.c')).toBe('a.b');
  expect(claimOf({ b: 1 }, 'a.b.c')).toBeUndefined();
  expect(claimOf({ a: 1 }, `a${'.b'.repeat(8)}`)).toBe('a');
  expect(claimOf({ a: 1 }, `a${'.b'.repeat(9)}`)).toBeUndefined();
});
