import { expect, test } from 'vitest';
import type { RelyingPartyOptions } from '../../src/index.ts';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

async function pushing(options: Partial<RelyingPartyOptions> = { pushedAuthorizationRequests: 'always' }, metadata: object = {}) {
  const op = await FakeOp.start();
  const pushed: URLSearchParams[] = [];
  op.faults.metadata = document => ({ ...document, pushed_authorization_request_endpoint: `${op.issuer}/par`, ...metadata });
  op.more['/par'] = body => {
    pushed.push(body);
    return Response.json({ request_uri: 'urn:ietf:params:oauth:request_uri:abc', expires_in: 60 }, { status: 201 });
  };
  return { op, pushed, rp: op.relyingParty(options) };
}

test('a pushed request leaves nothing in the address but the client and the reference', async () => {
  const { op, pushed, rp } = await pushing();
  const { url, pending } = await rp.startSignIn({ loginHint: 'reader@example.org', maxAgeSeconds: 60 });
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: 'notes',
    request_uri: 'urn:ietf:params:oauth:request_uri:abc',
  });
  const [sent] = pushed;
  expect(Object.fromEntries(sent!)).toMatchObject({
    response_type: 'code',
    client_id: 'notes',
    redirect_uri: 'https://rp.example/callback',
    scope: 'openid',
    state: pending.state,
    nonce: pending.nonce,
    code_challenge_method: 'S256',
    login_hint: 'reader@example.org',
    max_age: '60',
  });
  const at = op.requests.findIndex(request => request.endsWith('/par'));
  expect(op.headers[at]!.get('authorization')).toMatch(/^Basic /);
});

test('requests are pushed when the provider demands it, and otherwise only when told to', async () => {
  for (const [options, metadata, times] of [
    [{}, { require_pushed_authorization_requests: true }, 1],
    [{}, {}, 0],
    [{ pushedAuthorizationRequests: 'when-required' }, { require_pushed_authorization_requests: false }, 0],
    [{ pushedAuthorizationRequests: 'always' }, {}, 1],
  ] as const) {
    const { pushed, rp } = await pushing(options, metadata);
    await rp.startSignIn();
    expect(pushed).toHaveLength(times);
  }
});

test.each([
  ['no reference', () => ({ expires_in: 60 }), 'OIDC_TOKEN_RESPONSE'],
  ['a reference that is no text', () => ({ request_uri: 7 }), 'OIDC_TOKEN_RESPONSE'],
  ['a reference with a line end', () => ({ request_uri: 'urn:a\r\nb' }), 'OIDC_TOKEN_RESPONSE'],
  ['a refusal', () => Response.json({ error: 'invalid_request' }, { status: 400 }), 'OIDC_TOKEN_ERROR'],
  ['an outage', () => new Response('', { status: 503 }), 'OIDC_HTTP_STATUS'],
  ['a page', () => new Response('<html>', { status: 201, headers: { 'content-type': 'text/html' } }), 'OIDC_HTTP_CONTENT_TYPE'],
] as const)('a provider that answers with %s starts no sign-in', async (_fault, answer, code) => {
  const { op, rp } = await pushing();
  op.more['/par'] = answer;
  expect((await errorOf(rp.startSignIn())).code).toBe(code);
});

test('a provider without the endpoint is an error and never a request in the open', async () => {
  const { rp } = await pushing({ pushedAuthorizationRequests: 'always' }, { pushed_authorization_request_endpoint: undefined });
  expect((await errorOf(rp.startSignIn())).code).toBe('OIDC_ENDPOINT_MISSING');
});
