import { describe, expect, test } from 'vitest';
import { errorOf, signInAt, without } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

// Fixtures after documents that were read; docs/oidc/providers.md cites each. None of these providers was asked.

type Json = Record<string, unknown>;

/** A provider with the addresses and claims of a document. Its keys stand where that document says. */
interface Documented {
  issuer: string;
  metadata: Json;
  keysAt: string;
  header?: Json;
  claims: Json;
  token?: Json;
  userInfoAt: string;
}

async function opAfter(documented: Documented): Promise<FakeOp> {
  const op = await FakeOp.start();
  op.issuer = documented.issuer;
  op.more = {
    [documented.keysAt]: () => ({ keys: op.keys.map(key => ({ ...key.publicJwk })) }),
    [documented.userInfoAt]: () => ({ sub: op.subject, name: 'Reader' }),
  };
  op.faults = {
    metadata: () => ({ issuer: documented.issuer, ...documented.metadata }),
    callback: parameters => parameters.delete('iss'),
    token: response => ({ ...response, ...documented.token }),
    idTokenHeader: header => ({ ...header, ...documented.header }),
    idTokenClaims: claims => without({ ...claims, sid: undefined, ...documented.claims }),
  };
  return op;
}

const google: Documented = {
  issuer: 'https://accounts.google.com',
  metadata: {
    authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    device_authorization_endpoint: 'https://oauth2.googleapis.com/device/code',
    token_endpoint: 'https://oauth2.googleapis.com/token',
    userinfo_endpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
    revocation_endpoint: 'https://oauth2.googleapis.com/revoke',
    jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
    id_token_signing_alg_values_supported: ['RS256'],
  },
  keysAt: '/oauth2/v3/certs',
  userInfoAt: '/v1/userinfo',
  claims: { azp: 'notes', hd: 'example.org', email: 'reader@example.org', email_verified: true, locale: 'en' },
};

const documented: [string, Documented][] = [
  ['Google', google],
  [
    'Auth0',
    {
      issuer: 'https://tenant.us.auth0.com/',
      metadata: {
        authorization_endpoint: 'https://tenant.us.auth0.com/authorize',
        token_endpoint: 'https://tenant.us.auth0.com/oauth/token',
        device_authorization_endpoint: 'https://tenant.us.auth0.com/oauth/device/code',
        userinfo_endpoint: 'https://tenant.us.auth0.com/userinfo',
        mfa_challenge_endpoint: 'https://tenant.us.auth0.com/mfa/challenge',
        jwks_uri: 'https://tenant.us.auth0.com/.well-known/jwks.json',
        revocation_endpoint: 'https://tenant.us.auth0.com/oauth/revoke',
        id_token_signing_alg_values_supported: ['HS256', 'RS256', 'PS256'],
      },
      keysAt: '/.well-known/jwks.json',
      userInfoAt: '/userinfo',
      header: { typ: 'JWT' },
      claims: { nickname: 'reader', picture: 'https://example.org/r.png', updated_at: '2026-11-22T10:00:00.000Z', sid: 's-1' },
    },
  ],
  [
    'Okta',
    {
      issuer: 'https://tenant.okta.com',
      metadata: {
        authorization_endpoint: 'https://tenant.okta.com/oauth2/v1/authorize',
        token_endpoint: 'https://tenant.okta.com/oauth2/v1/token',
        userinfo_endpoint: 'https://tenant.okta.com/oauth2/v1/userinfo',
        jwks_uri: 'https://tenant.okta.com/oauth2/v1/keys',
      },
      keysAt: '/oauth2/v1/keys',
      userInfoAt: '/oauth2/v1/userinfo',
      claims: {
        ver: 1,
        jti: 'ID.radCQMOQ',
        amr: ['pwd'],
        idp: '00o1',
        preferred_username: 'reader@example.org',
        name: 'Reader',
        zoneinfo: 'America/Los_Angeles',
        updated_at: 1311280970,
        address: { locality: 'Los Angeles', country: 'US' },
      },
      token: { scope: 'openid profile email groups' },
    },
  ],
  [
    'an authorization server of its own at Okta',
    {
      issuer: 'https://tenant.okta.com/oauth2/default',
      metadata: {
        authorization_endpoint: 'https://tenant.okta.com/oauth2/default/v1/authorize',
        token_endpoint: 'https://tenant.okta.com/oauth2/default/v1/token',
        userinfo_endpoint: 'https://tenant.okta.com/oauth2/default/v1/userinfo',
        jwks_uri: 'https://tenant.okta.com/oauth2/default/v1/keys',
        end_session_endpoint: 'https://tenant.okta.com/oauth2/default/v1/logout',
      },
      keysAt: '/oauth2/default/v1/keys',
      userInfoAt: '/oauth2/default/v1/userinfo',
      claims: { ver: 1, jti: 'ID.4eAWJOCM', amr: ['mfa', 'otp', 'pwd'], idp: '00o1', groups: ['Everyone'] },
    },
  ],
  [
    'Keycloak',
    {
      issuer: 'https://keycloak.example.org/realms/staff',
      metadata: {
        authorization_endpoint: 'https://keycloak.example.org/realms/staff/protocol/openid-connect/auth',
        token_endpoint: 'https://keycloak.example.org/realms/staff/protocol/openid-connect/token',
        userinfo_endpoint: 'https://keycloak.example.org/realms/staff/protocol/openid-connect/userinfo',
        jwks_uri: 'https://keycloak.example.org/realms/staff/protocol/openid-connect/certs',
        end_session_endpoint: 'https://keycloak.example.org/realms/staff/protocol/openid-connect/logout',
        id_token_signing_alg_values_supported: ['PS384', 'RS384', 'EdDSA', 'ES384', 'HS256', 'ES256', 'RS256', 'HS384', 'RS512'],
        mtls_endpoint_aliases: { token_endpoint: 'https://keycloak.example.org/realms/staff/protocol/openid-connect/token' },
        backchannel_logout_supported: true,
        backchannel_logout_session_supported: true,
      },
      keysAt: '/realms/staff/protocol/openid-connect/certs',
      userInfoAt: '/realms/staff/protocol/openid-connect/userinfo',
      header: { typ: 'JWT' },
      claims: {
        typ: 'ID',
        azp: 'notes',
        acr: '1',
        sid: 'd3f0a2b4',
        jti: '1f0b',
        email_verified: false,
        preferred_username: 'reader',
        realm_access: { roles: ['staff'] },
      },
      token: { 'not-before-policy': 0, session_state: 'd3f0a2b4', refresh_expires_in: 1800, scope: 'openid email profile' },
    },
  ],
  [
    'Salesforce',
    {
      issuer: 'https://example.my.salesforce.com',
      metadata: {
        authorization_endpoint: 'https://example.my.salesforce.com/services/oauth2/authorize',
        token_endpoint: 'https://example.my.salesforce.com/services/oauth2/token',
        revocation_endpoint: 'https://example.my.salesforce.com/services/oauth2/revoke',
        userinfo_endpoint: 'https://example.my.salesforce.com/services/oauth2/userinfo',
        jwks_uri: 'https://example.my.salesforce.com/id/keys',
        registration_endpoint: 'https://example.my.salesforce.com/services/oauth2/register',
        introspection_endpoint: 'https://example.my.salesforce.com/services/oauth2/introspect',
        end_session_endpoint: 'https://example.my.salesforce.com/services/auth/idp/oidc/logout',
        frontchannel_logout_supported: true,
        frontchannel_logout_session_supported: false,
      },
      keysAt: '/id/keys',
      userInfoAt: '/services/oauth2/userinfo',
      claims: {
        is_active: true,
        organization_id: '00D1',
        user_id: '0051',
        urls: { rest: 'https://example.my.salesforce.com/r' },
      },
      token: {
        id: 'https://login.salesforce.com/id/00D1/0051',
        instance_url: 'https://example.my.salesforce.com',
        issued_at: '1763800000000',
      },
    },
  ],
  [
    'Amazon Cognito',
    {
      issuer: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_Example',
      metadata: {
        authorization_endpoint: 'https://tenant.auth.us-east-1.amazoncognito.com/oauth2/authorize',
        token_endpoint: 'https://tenant.auth.us-east-1.amazoncognito.com/oauth2/token',
        userinfo_endpoint: 'https://tenant.auth.us-east-1.amazoncognito.com/oauth2/userInfo',
        jwks_uri: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_Example/.well-known/jwks.json',
        id_token_signing_alg_values_supported: ['RS256'],
      },
      keysAt: '/us-east-1_Example/.well-known/jwks.json',
      userInfoAt: '/oauth2/userInfo',
      claims: {
        token_use: 'id',
        'cognito:username': 'reader',
        'cognito:groups': ['staff'],
        identities: [{ userId: 'r', providerName: 'Google', providerType: 'Google', issuer: null, primary: 'true' }],
        event_id: '64f513be',
        origin_jti: 'aaaa',
        jti: 'bbbb',
        email_verified: true,
      },
    },
  ],
  [
    'GitLab',
    {
      issuer: 'https://gitlab.example.org',
      metadata: {
        authorization_endpoint: 'https://gitlab.example.org/oauth/authorize',
        token_endpoint: 'https://gitlab.example.org/oauth/token',
        userinfo_endpoint: 'https://gitlab.example.org/oauth/userinfo',
        jwks_uri: 'https://gitlab.example.org/oauth/discovery/keys',
      },
      keysAt: '/oauth/discovery/keys',
      userInfoAt: '/oauth/userinfo',
      claims: {
        sub_legacy: '9a8b',
        nickname: 'reader',
        preferred_username: 'reader',
        groups_direct: ['staff'],
        'https://gitlab.org/claims/groups/owner': ['staff'],
      },
    },
  ],
  [
    'PingFederate',
    {
      issuer: 'https://ping.example.org:9031',
      metadata: {
        authorization_endpoint: 'https://ping.example.org:9031/as/authorization.oauth2',
        token_endpoint: 'https://ping.example.org:9031/as/token.oauth2',
        userinfo_endpoint: 'https://ping.example.org:9031/idp/userinfo.openid',
        jwks_uri: 'https://ping.example.org:9031/pf/JWKS',
        end_session_endpoint: 'https://ping.example.org:9031/idp/init_logout.openid',
        backchannel_authentication_endpoint: 'https://ping.example.org:9031/as/bc-auth.ciba',
        claims_parameter_supported: false,
      },
      keysAt: '/pf/JWKS',
      userInfoAt: '/idp/userinfo.openid',
      header: { typ: 'JWT', x5t: 'AAAA' },
      claims: { 'pi.sri': 'session-reference', s_hash: 'not ours to read', acr: '1' },
    },
  ],
];

describe('a sign-in at a provider as its documents show it', () => {
  test.each(documented)('%s: what it adds is kept, UserInfo is of the same person', async (_name, shape) => {
    const op = await opAfter(shape);
    // PingFederate's token endpoint has a name of its own; the provider of the tests answers at /token.
    const tokenEndpoint = String(shape.metadata.token_endpoint).replace(/\/token\.oauth2$/, '/token');
    op.faults.metadata = () => ({ issuer: shape.issuer, ...shape.metadata, token_endpoint: tokenEndpoint });
    const rp = op.relyingParty();
    const signIn = await signInAt(op, {}, rp);
    expect(signIn.identity).toEqual({ issuer: shape.issuer, subject: 'sub-1' });
    expect(signIn.claims).toMatchObject(shape.claims);
    expect(await rp.fetchUserInfo(signIn)).toMatchObject({ sub: 'sub-1', name: 'Reader' });
  });

  test('Google’s document allows an issuer without https:// too; a token that has it is not of the issuer that was configured', async () => {
    const op = await opAfter({ ...google, claims: { ...google.claims, iss: 'accounts.google.com' } });
    expect((await errorOf(signInAt(op))).code).toBe('OIDC_CLAIM_ISS');
  });

  test('Amazon Cognito’s access token, a signed JWT as well, is no ID Token', async () => {
    const cognito = documented.find(([name]) => name === 'Amazon Cognito')![1];
    const op = await opAfter({
      ...cognito,
      claims: { token_use: 'access', client_id: 'notes', username: 'reader', aud: undefined },
    });
    expect((await errorOf(signInAt(op))).code).toBe('OIDC_CLAIM_AUD');
  });
});
