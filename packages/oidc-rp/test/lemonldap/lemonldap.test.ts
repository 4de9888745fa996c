import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LemonLdap, missingLemonLdap, signInAtLemonLdap, startLemonLdap } from '../../../../tools/lemonldap.ts';
import { RelyingParty } from '../../src/index.ts';

const title = `LemonLDAP::NG as OpenID provider${missingLemonLdap === undefined ? '' : ` (skipped: ${missingLemonLdap})`}`;

describe.skipIf(missingLemonLdap)(title, () => {
  const client = { clientId: 'notes', clientSecret: 'a-secret-of-the-tests', redirectUri: 'http://127.0.0.1:9/callback' };
  let op: LemonLdap;
  let relyingParty: RelyingParty;

  beforeAll(async () => {
    op = await startLemonLdap({ oidc: client });
    relyingParty = new RelyingParty({
      issuer: op.portal,
      clientId: client.clientId,
      clientAuthentication: { method: 'client_secret_basic', secret: client.clientSecret },
      redirectUri: client.redirectUri,
      idTokenAlgorithms: ['RS256'],
      dangerouslyAllowLoopbackHttp: true,
    });
  }, 120_000);
  afterAll(async () => await op?.[Symbol.asyncDispose]());

  test('signs in with PKCE, verifies the ID Token and fetches UserInfo for the same person', async () => {
    const { url, pending } = await relyingParty.startSignIn({ scopes: ['openid', 'email', 'profile'], returnTo: '/notes' });
    const back = await signInAtLemonLdap(op, String(url));
    expect(back.url).toMatch(/^http:\/\/127\.0\.0\.1:9\/callback\?/);
    const signedIn = await relyingParty.finishSignIn(back.url, pending);
    expect(signedIn.identity).toEqual({ issuer: op.portal, subject: 'dwho' });
    expect(signedIn.returnTo).toBe('/notes');
    expect(await relyingParty.fetchUserInfo(signedIn)).toMatchObject({ sub: 'dwho', email: 'dwho@badwolf.org' });
  }, 60_000);
});
