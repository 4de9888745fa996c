import { expect, test } from 'vitest';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

async function started(responseMode: 'query' | 'form_post') {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ responseMode });
  const { url, pending } = await rp.startSignIn();
  const address = op.authorize(url);
  const form = new URL(address).searchParams;
  return { rp, url, pending, address, form };
}

test('accepts a form if form_post was requested', async () => {
  const { rp, url, pending, form } = await started('form_post');
  expect(url.searchParams.get('response_mode')).toBe('form_post');
  const request = new Request('https://rp.example/callback', { method: 'POST', body: form });
  expect((await rp.finishSignIn(request, pending)).identity.subject).toBe('sub-1');
});

test('accepts a form that a framework parsed or left as text', async () => {
  for (const read of [
    (form: URLSearchParams) => Object.fromEntries(form),
    (form: URLSearchParams) => form.toString(),
    (form: URLSearchParams) => form,
  ]) {
    const { rp, pending, form } = await started('form_post');
    expect((await rp.finishSignIn({ method: 'POST', url: '/callback', body: read(form) }, pending)).identity.subject).toBe(
      'sub-1',
    );
  }
});

test('refuses a query if a form was requested, and a form if a query was', async () => {
  const one = await started('form_post');
  expect((await errorOf(one.rp.finishSignIn(one.address, one.pending))).code).toBe('OIDC_CALLBACK_MALFORMED');
  const two = await started('query');
  const request = new Request('https://rp.example/callback', { method: 'POST', body: two.form });
  expect((await errorOf(two.rp.finishSignIn(request, two.pending))).code).toBe('OIDC_CALLBACK_MALFORMED');
});

test.each(['HEAD', 'PUT', 'DELETE', 'get'])('refuses the method %s', async method => {
  const { rp, pending, address } = await started('query');
  expect((await errorOf(rp.finishSignIn({ method, url: address }, pending))).code).toBe('OIDC_CALLBACK_MALFORMED');
});

test('refuses a form of another content type or above 64 kB', async () => {
  const { rp, pending, form } = await started('form_post');
  const headers = { 'content-type': 'application/json' };
  const json = new Request('https://rp.example/callback', {
    method: 'POST',
    headers,
    body: JSON.stringify(Object.fromEntries(form)),
  });
  expect((await errorOf(rp.finishSignIn(json, pending))).code).toBe('OIDC_CALLBACK_MALFORMED');
  form.set('filler', 'x'.repeat(66_000));
  const large = new Request('https://rp.example/callback', { method: 'POST', body: form });
  expect((await errorOf(rp.finishSignIn(large, pending))).code).toBe('OIDC_CALLBACK_MALFORMED');
});

test.each([
  ['request.contentType', { contentType: 5 }],
  ['request.body', { body: 5 }],
  ['request.body', { body: null }],
])('refuses %s of another type by its path', async (check, changes) => {
  const { rp, pending, form } = await started('form_post');
  const request = { method: 'POST', url: '/callback', body: form, ...changes } as never;
  expect(await errorOf(rp.finishSignIn(request, pending))).toMatchObject({ code: 'OIDC_CALLBACK_MALFORMED', check });
});

test('a form without a body has no state, and whatever a framework leaves as the body of a GET is not looked at', async () => {
  const posted = await started('form_post');
  const request = { method: 'POST', url: '/callback' };
  expect((await errorOf(posted.rp.finishSignIn(request, posted.pending))).code).toBe('OIDC_CALLBACK_STATE');
  for (const body of [null, 5, []]) {
    const { rp, pending, address } = await started('query');
    const { identity } = await rp.finishSignIn({ method: 'GET', url: address, body } as never, pending);
    expect(identity.subject).toBe('sub-1');
  }
});
