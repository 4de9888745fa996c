import { expect, test } from 'vitest';
import type { OidcErrorCode, RelyingPartyOptions } from '../../src/index.ts';
import { errorOf, signInAt } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';
import { createKey } from '../support/forge.ts';

const host = 'https://login.microsoftonline.com';
const tenant = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const other = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
const consumers = '9188040d-6c67-4c5b-b112-36a304b66dad';
const issuerOf = (tid: string) => `${host}/${tid}/v2.0`;

async function entra(
  audience = 'common',
  tenants: RelyingPartyOptions['entraTenants'] = 'any',
  claims: Record<string, unknown> = {},
) {
  const op = await FakeOp.start();
  op.issuer = `${host}/${audience}/v2.0`;
  op.faults = {
    metadata: document => ({
      ...document,
      issuer: issuerOf('{tenantid}'),
      authorization_response_iss_parameter_supported: undefined,
    }),
    callback: parameters => parameters.delete('iss'),
    idTokenClaims: honest => ({ ...honest, iss: issuerOf(tenant), tid: tenant, ver: '2.0', ...claims }),
  };
  return { op, options: tenants === undefined ? {} : { entraTenants: tenants } };
}

test.each([
  ['common', 'any', tenant],
  ['common', [tenant, other], tenant],
  ['organizations', 'any', tenant],
  ['common', 'any', consumers],
] as const)(
  'at %s with the tenants %j, one of %s signs in under the issuer of the own tenant',
  async (audience, tenants, tid) => {
    const { op, options } = await entra(audience, tenants, { iss: issuerOf(tid), tid });
    expect((await signInAt(op, { options })).identity).toEqual({ issuer: issuerOf(tid), subject: 'sub-1' });
  },
);

test.each([
  ['a tenant that may not come', [other], {}],
  ['an issuer that is not the one of its tenant', 'any', { tid: other }],
  ['no tenant', 'any', { tid: undefined }],
  ['a tenant that is no text', 'any', { tid: [tenant] }],
  ['the template itself', 'any', { iss: issuerOf('{tenantid}'), tid: '{tenantid}' }],
  ['an address in place of the tenant', 'any', { iss: issuerOf('evil.example'), tid: 'evil.example' }],
  ['another host', 'any', { iss: `https://evil.example/${tenant}/v2.0` }],
  ['another version', 'any', { iss: `https://sts.windows.net/${tenant}/` }],
  ['a longer path', 'any', { iss: `${issuerOf(tenant)}/x`, tid: tenant }],
  ['upper case', 'any', { iss: issuerOf(tenant.toUpperCase()), tid: tenant.toUpperCase() }],
] as const)('a token with %s is refused', async (_fault, tenants, claims) => {
  const { op, options } = await entra('common', tenants, claims);
  expect((await errorOf(signInAt(op, { options }))).code).toBe('OIDC_CLAIM_ISS' satisfies OidcErrorCode);
});

test('a personal account is none of an organization', async () => {
  const { op, options } = await entra('organizations', 'any', { iss: issuerOf(consumers), tid: consumers });
  expect((await errorOf(signInAt(op, { options }))).code).toBe('OIDC_CLAIM_ISS');
});

test('without the rule, the template of the document is refused like any other issuer', async () => {
  const { op } = await entra('common', undefined);
  expect((await errorOf(signInAt(op))).code).toBe('OIDC_DISCOVERY_ISSUER');
});

test('a key that Entra publishes for one tenant signs for that tenant alone', async () => {
  const { op, options } = await entra();
  const first = op.keys[0]!;
  op.faults.jwks = ({ keys: [key] }) => ({ keys: [{ ...key, issuer: issuerOf(other) }] });
  expect((await errorOf(signInAt(op, { options }))).code).toBe('OIDC_KEY_UNKNOWN');
  for (const issuer of [issuerOf(tenant), issuerOf('{tenantid}')]) {
    op.faults.jwks = ({ keys: [key] }) => ({ keys: [{ ...key, issuer }] });
    expect((await signInAt(op, { options })).claims.tid).toBe(tenant);
  }
  const rp = op.relyingParty(options);
  const second = await createKey('RS256', 'second');
  op.keys = [first, second];
  op.faults.jwks = ({ keys: [one, two] }) => ({
    keys: [
      { ...one, issuer: issuerOf(tenant) },
      { ...two, issuer: issuerOf(other) },
    ],
  });
  expect((await signInAt(op, {}, rp)).claims.tid).toBe(tenant);
  op.faults.idTokenClaims = honest => ({ ...honest, iss: issuerOf(other), tid: other });
  expect((await errorOf(signInAt(op, {}, rp))).code).toBe('OIDC_KEY_UNKNOWN');
});

test('a refresh stays in its tenant, and logout names the tenant', async () => {
  const { op, options } = await entra();
  const rp = op.relyingParty(options);
  const signIn = await signInAt(op, {}, rp);
  op.faults.idTokenClaims = honest => ({ ...honest, iss: issuerOf(other), tid: other });
  expect((await errorOf(rp.refresh(signIn))).code).toBe('OIDC_REFRESH_IDENTITY');
  const frame = (iss: string) =>
    rp.readFrontChannelLogout(`https://rp.example/out?${new URLSearchParams({ iss, sid: 'session-1' })}`);
  expect(await frame(issuerOf(tenant))).toEqual({ kind: 'session', issuer: issuerOf(tenant), sid: 'session-1' });
  expect((await errorOf(frame(`${host}/x/v2.0`))).code).toBe('OIDC_LOGOUT_ISS');
});
