import { expect, test } from 'vitest';
import { expectRefused } from '../support/expect-refused.ts';

const refusal = (body: unknown, status = 400) => ({ token: () => Response.json(body, { status }) });

test('an error of the token endpoint is told', async () => {
  const error = await expectRefused('OIDC_TOKEN_ERROR', refusal({ error: 'invalid_client', error_description: 'Who?' }, 401));
  expect([error.providerError, error.providerDescription]).toEqual(['invalid_client', 'Who?']);
});

test('an error that is none is still one', async () => {
  expect((await expectRefused('OIDC_TOKEN_ERROR', refusal({ error: { a: 1 } }))).providerError).toBe('unknown');
});

test.each([201, 204, 403, 404, 429, 500, 503])('status %i is refused', async status => {
  await expectRefused('OIDC_HTTP_STATUS', {
    token: response =>
      new Response(status === 204 ? null : JSON.stringify(response), { status, headers: { 'content-type': 'application/json' } }),
  });
});

test('nothing that is secret stands in the error', async () => {
  const seen: URLSearchParams[] = [];
  const error = await expectRefused('OIDC_TOKEN_ERROR', {
    token: (_response, request) => {
      seen.push(request);
      return Response.json({ error: 'invalid_grant' }, { status: 400 });
    },
  });
  const told = JSON.stringify(error, Object.getOwnPropertyNames(error)) + error.stack;
  for (const name of ['code', 'code_verifier']) expect(told).not.toContain(seen[0]!.get(name));
  expect(told).not.toContain('a secret of this client');
});
