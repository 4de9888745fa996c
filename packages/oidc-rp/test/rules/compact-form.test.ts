import { expect, test } from 'vitest';
import { expectRefused } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { forge } from '../support/forge.ts';

const forms: Record<string, (parts: string[]) => string> = {
  'two parts': ([header, payload]) => `${header}.${payload}`,
  'four parts': parts => [...parts, 'AAAA'].join('.'),
  'six parts': parts => [...parts, 'AA', 'AA', 'AA'].join('.'),
  'a detached payload': ([header, , signature]) => `${header}..${signature}`,
  'no header': ([, payload, signature]) => `.${payload}.${signature}`,
};

test.each(Object.keys(forms))('refuses a token of %s', async name => {
  await expectRefused('OIDC_JWT_MALFORMED', {
    idToken: async ({ header, claims, key }) => forms[name]!((await forge(header, claims, key)).split('.')),
  });
});

test.each(['flattened', 'general'])('refuses a token in %s JSON serialization', async form => {
  const op = await FakeOp.start();
  const [head, payload, signature] = (await op.sign(op.claims())).split('.');
  const signed = { protected: head, signature };
  const token = JSON.stringify(form === 'flattened' ? { payload, ...signed } : { payload, signatures: [signed] });
  await expect(op.relyingParty().validateIdToken(token, { nonce: undefined })).rejects.toMatchObject({
    code: 'OIDC_JWT_MALFORMED',
  });
  await expect(op.relyingParty().validateIdToken(JSON.parse(token), { nonce: undefined })).rejects.toMatchObject({
    code: 'OIDC_JWT_MALFORMED',
  });
});
