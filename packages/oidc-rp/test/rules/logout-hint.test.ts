import { CompactEncrypt, generateKeyPair } from 'jose';
import { expect, test } from 'vitest';
import { errorOf, postLogout, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

async function encrypting() {
  const op = await FakeOp.start();
  const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { extractable: true });
  const rp = op.relyingParty({ idTokenDecryption: { algorithm: 'ECDH-ES', encryption: 'A256GCM', keys: [{ key: privateKey }] } });
  op.faults.idToken = async ({ header, claims }) =>
    new CompactEncrypt(new TextEncoder().encode(await op.sign(claims, header)))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', cty: 'JWT' })
      .encrypt(publicKey);
  return { op, rp };
}

test('the signed token inside an encrypted one is exposed, and is the hint', async () => {
  const { op, rp } = await encrypting();
  const { tokens } = await signInAt(op, {}, rp);
  expect([tokens.idToken.split('.').length, tokens.signedIdToken.split('.').length]).toEqual([5, 3]);
  for (const hint of [tokens.idToken, tokens.signedIdToken]) {
    const { url } = await rp.startSignOut({ idTokenHint: hint });
    expect(url.searchParams.get('id_token_hint')).toBe(tokens.signedIdToken);
  }
  const renewed = await rp.refresh({ ...(await signInAt(op, {}, rp)) });
  expect(renewed.tokens.signedIdToken.split('.')).toHaveLength(3);
});

test('a token that came signed alone is its own hint, and an encrypted hint that is not for us is refused', async () => {
  const op = await FakeOp.start();
  const { tokens } = await signInAt(op);
  expect(tokens.signedIdToken).toBe(tokens.idToken);
  const { rp } = await encrypting();
  expect((await errorOf(rp.startSignOut({ idTokenHint: 'AAAA.AAAA.AAAA.AAAA.AAAA' }))).code).toMatch(/^OIDC_J/);
});

test('the sign-out can be posted: the same fields, and no token in an address', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ postLogoutRedirectUri: 'https://rp.example/bye' });
  const idTokenHint = await op.sign(op.claims());
  const { url, post, pending } = await rp.startSignOut({
    idTokenHint,
    logoutHint: 'reader',
    extraParameters: { ui_locales: 'pt' },
  });
  expect(post.action.href).toBe(`${op.issuer}/end-session`);
  expect(post.fields).toEqual(Object.fromEntries(url.searchParams));
  expect(post.fields).toEqual({
    ui_locales: 'pt',
    client_id: 'notes',
    id_token_hint: idTokenHint,
    logout_hint: 'reader',
    post_logout_redirect_uri: 'https://rp.example/bye',
    state: pending.state,
  });
});

test('where encryption is registered, a logout token that is only signed and a sign-out without a hint are taken', async () => {
  const { op, rp } = await encrypting();
  expect((await rp.readBackChannelLogout(postLogout(await op.logoutToken({})))).issuer).toBe(op.issuer);
  const { url } = await rp.startSignOut();
  expect(url.searchParams.has('id_token_hint')).toBe(false);
});

test('where none is registered, a hint that looks encrypted is sent as it is', async () => {
  const idTokenHint = 'AAAA.AAAA.AAAA.AAAA.AAAA';
  const { url } = await (await FakeOp.start()).relyingParty().startSignOut({ idTokenHint });
  expect(url.searchParams.get('id_token_hint')).toBe(idTokenHint);
});
