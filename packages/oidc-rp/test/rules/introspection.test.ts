import { expect, test } from 'vitest';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

async function asking(answer: object, hint?: 'access_token') {
  const op = await FakeOp.start();
  op.faults.metadata = document => ({ ...document, introspection_endpoint: `${op.issuer}/introspect` });
  op.more['/introspect'] = () => Response.json(answer);
  return { op, outcome: op.relyingParty().introspect('the token', hint) };
}

test('returns what the provider says about an active token, asked as this client', async () => {
  const { op, outcome } = await asking(
    { active: true, sub: 'sub-1', scope: 'read', exp: 9_999_999_999, iss: 'https://op.example' },
    'access_token',
  );
  expect(await outcome).toMatchObject({ active: true, sub: 'sub-1', scope: 'read' });
  expect([op.bodies.at(-1)!.get('token'), op.bodies.at(-1)!.get('token_type_hint')]).toEqual(['the token', 'access_token']);
  expect(op.headers.at(-1)!.get('authorization')).toMatch(/^Basic /);
});

test.each([
  ['says no', { active: false, sub: 'sub-1' }],
  ['says yes to a token that is over', { active: true, exp: 1, sub: 'sub-1' }],
])('returns nothing about a token if the provider %s', async (_answer, answer) => {
  expect(await (await asking(answer)).outcome).toEqual({ active: false });
});

test.each([
  ['no verdict', {}],
  ['a verdict as text', { active: 'true' }],
  ['an end as text', { active: true, exp: 'tomorrow' }],
  ['another issuer', { active: true, iss: 'https://evil.example' }],
])('refuses an answer with %s', async (_fault, answer) => {
  expect((await errorOf((await asking(answer)).outcome)).code).toBe('OIDC_INTROSPECTION');
});

test('reports a provider without the endpoint', async () => {
  const op = await FakeOp.start();
  expect((await errorOf(op.relyingParty().introspect('x'))).code).toBe('OIDC_ENDPOINT_MISSING');
});
