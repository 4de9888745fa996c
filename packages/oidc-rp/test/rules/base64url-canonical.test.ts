import { expect, test } from 'vitest';
import { FakeOp } from '../support/fake-op.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const spellings: Record<string, (signature: string) => string> = {
  'with padding': signature => `${signature}==`,
  'with + and /': signature => signature.replaceAll('-', '+').replaceAll('_', '/'),
  'with a space': signature => `${signature.slice(0, 9)} ${signature.slice(9)}`,
  'with a line end': signature => `${signature}\n`,
  'with stray bits in its last character': signature =>
    signature.slice(0, -1) + alphabet[alphabet.indexOf(signature.at(-1)!) + 1],
};

test.each(Object.keys(spellings))('refuses a valid signature %s: one token has one spelling', async name => {
  const op = await FakeOp.start();
  const rp = op.relyingParty();
  // RSA signatures differ with the claims; one with both special letters makes every spelling a different text.
  let token = '';
  for (let at = 0; !/-.*_|_.*-/.test(token.split('.')[2] ?? ''); at += 1) token = await op.sign(op.claims({ at }));
  await rp.validateIdToken(token, { nonce: undefined });
  const [header, payload, signature] = token.split('.');
  const changed = `${header}.${payload}.${spellings[name]!(signature!)}`;
  expect(changed).not.toBe(token);
  await expect(rp.validateIdToken(changed, { nonce: undefined })).rejects.toMatchObject({ code: 'OIDC_JWT_MALFORMED' });
});
