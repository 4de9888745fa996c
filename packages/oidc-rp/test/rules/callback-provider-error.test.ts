import { expect, test } from 'vitest';
import { errorOf, expectRefused } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const failing = (error: string, description?: string) => (parameters: URLSearchParams) => {
  parameters.delete('code');
  parameters.set('error', error);
  if (description !== undefined) parameters.set('error_description', description);
};

test.each(['access_denied', 'login_required', 'temporarily_unavailable', 'x'])('reports the provider error "%s"', async name => {
  const error = await expectRefused('OIDC_PROVIDER_ERROR', { callback: failing(name, 'Not today') });
  expect([error.providerError, error.providerDescription]).toEqual([name, 'Not today']);
});

test('reports the error of prompt=none with max_age=0 by form', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ responseMode: 'form_post' });
  const { url, pending } = await rp.startSignIn({ prompt: 'none', maxAgeSeconds: 0 });
  op.faults.callback = failing('login_required');
  const body = new URL(op.authorize(url)).searchParams;
  const error = await errorOf(rp.finishSignIn(new Request('https://rp.example/callback', { method: 'POST', body }), pending));
  expect([error.code, error.providerError]).toEqual(['OIDC_PROVIDER_ERROR', 'login_required']);
});

test('ignores an error with a wrong state', async () => {
  const callback = (parameters: URLSearchParams) => {
    failing('access_denied', 'Call this number')(parameters);
    parameters.set('state', 'forged');
  };
  const error = await expectRefused('OIDC_CALLBACK_STATE', { callback });
  expect([error.providerError, error.message.includes('Call this number')]).toEqual([undefined, false]);
});

test("removes control characters from the provider's text, shortens it and keeps it out of the message", async () => {
  const error = await expectRefused('OIDC_PROVIDER_ERROR', {
    callback: failing('a\r\nSet-Cookie: x', `<script>\u001b[2J${'x'.repeat(9_000)}`),
  });
  expect(error.providerError).toBe('a\u{fffd}\u{fffd}Set-Cookie: x');
  expect(error.providerDescription).toHaveLength(201);
  expect(error.providerDescription).not.toContain('\u001b');
  expect(error.message).not.toContain('<script>');
});
