import { expect, test } from 'vitest';
import { expectRefused, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { base64url, signBytes } from '../support/forge.ts';

const text = (value: unknown) => JSON.stringify(value);

test('a duplicate member in the payload is refused', async () => {
  await expectRefused('OIDC_JSON_DUPLICATE_MEMBER', { idTokenClaims: claims => text(claims).replace('{', '{"sub":"admin",') });
});

test('a duplicate member in a nested object is refused', async () => {
  await expectRefused('OIDC_JSON_DUPLICATE_MEMBER', {
    idTokenClaims: claims => text(claims).replace('{', '{"address":{"a":[{"b":1}],"a":2},'),
  });
});

test('a duplicate member in the header is refused, however it is spelled', async () => {
  await expectRefused('OIDC_JSON_DUPLICATE_MEMBER', { idTokenHeader: header => text(header).replace('{', '{"alg":"none",') });
  await expectRefused('OIDC_JSON_DUPLICATE_MEMBER', {
    idTokenHeader: header => text(header).replace('{', '{"\\u0061lg":"none",'),
  });
});

test.each([['["RS256"]'], ['null'], ['"RS256"'], ['{'], ['']])('the header %j is refused', async header => {
  await expectRefused(header === '' ? 'OIDC_JWT_MALFORMED' : 'OIDC_JSON_INVALID', { idTokenHeader: () => header });
});

test.each([['[]'], ['null'], ['7'], ['{"a":1,}']])('the payload %j is refused', async payload => {
  await expectRefused('OIDC_JSON_INVALID', { idTokenClaims: () => payload });
});

test('a byte order mark is refused', async () => {
  await expectRefused('OIDC_JSON_INVALID', { idTokenClaims: claims => `\ufeff${text(claims)}` });
  await expectRefused('OIDC_JSON_INVALID', { idTokenHeader: header => `\ufeff${text(header)}` });
});

test('bytes that are not UTF-8 are refused', async () => {
  await expectRefused('OIDC_JSON_INVALID', {
    idToken: async ({ header, claims, key }) => {
      const payload = Buffer.concat([
        Buffer.from(text({ ...claims, name: 'x' }).slice(0, -2)),
        Buffer.of(0xff),
        Buffer.from('"}'),
      ]);
      const input = `${base64url(text(header))}.${payload.toString('base64url')}`;
      return `${input}.${base64url(await signBytes(input, key))}`;
    },
  });
});

test('a payload nested too deeply is refused', async () => {
  const bomb = '['.repeat(20_000) + ']'.repeat(20_000);
  await expectRefused('OIDC_JSON_TOO_DEEP', { idTokenClaims: claims => text(claims).replace('{', `{"bomb":${bomb},`) });
});

test.each(['{"__proto__":{"admin":true},', '{"a":[{"\\u005f_proto__":1}],'])(
  'a member that another reader would take for a prototype is refused: %s',
  async start => {
    await expectRefused('OIDC_JSON_INVALID', { idTokenClaims: claims => text(claims).replace('{', start) });
  },
);

test('names of the language are claims like any other', async () => {
  const op = await FakeOp.start();
  op.faults.idTokenClaims = claims => text(claims).replace('{', '{"prototype":{"admin":true},"constructor":"x","toString":1,');
  const { claims } = await signInAt(op);
  expect(claims.admin).toBeUndefined();
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
  expect(claims.constructor).toBe('x');
  expect(claims.hasOwnProperty).toBeUndefined();
});
