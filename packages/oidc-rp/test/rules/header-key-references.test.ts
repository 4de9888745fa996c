import { expect, test } from 'vitest';
import { signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { forge, keptKey } from '../support/forge.ts';

test.each(['jku', 'x5u', 'jwk', 'x5c'])(
  'a key that the token brings along as %s is not looked at (CVE-2018-0114)',
  async member => {
    const op = await FakeOp.start();
    const evil = await keptKey('evil');
    const value = { jku: 'https://evil.example/jwks', x5u: 'https://evil.example/cert', jwk: evil.publicJwk, x5c: ['AAAA'] }[
      member
    ];
    op.faults.idToken = ({ header, claims }) => forge({ ...header, [member]: value }, claims, evil);
    await expect(signInAt(op)).rejects.toMatchObject({ code: 'OIDC_JWT_SIGNATURE' });
    op.faults.idToken = ({ header, claims, key }) => forge({ ...header, [member]: value }, claims, key);
    expect((await signInAt(op)).identity.subject).toBe('sub-1');
    expect(op.strangers).toEqual([]);
  },
);
