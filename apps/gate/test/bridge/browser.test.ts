import { generateKeyPairSync } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../../tools/chromium.ts';
import { type Application, applicationSecret, clientFor, startApplication } from '../support/application.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { clientOf, type OpenIdProvider, providerOf, startOpenIdProvider } from '../support/openid-provider.ts';
import { signInAtOpenIdProvider } from '../support/person.ts';
import { freePort } from '../support/servers.ts';
import { certificateData, createKeyPair, missing, type SimpleSamlPhp, startSimpleSamlPhp } from '../support/simplesamlphp.ts';

// A mixed environment, whole: the application speaks OpenID Connect with the gate, people sign in by OpenID Connect or SAML.

const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
let browser: Browser;
let provider: OpenIdProvider;
let idp: SimpleSamlPhp | undefined;
let wiki: Application;
let gate: TestGate;

beforeAll(async () => {
  const [port, providerPort] = [await freePort(), await freePort()];
  const origin = `http://127.0.0.1:${port}`;
  const pair = createKeyPair();
  [browser, provider, wiki, idp] = await Promise.all([
    launchChromium(),
    startOpenIdProvider([clientOf(origin, 'corp')], {}, providerPort),
    startApplication(`${origin}/gate/oidc`, 'wiki'),
    missing === undefined ? startSimpleSamlPhp() : undefined,
  ]);
  idp?.know(
    `${origin}/gate/uni/metadata`,
    { acs: `${origin}/gate/uni/acs`, slo: `${origin}/gate/uni/slo` },
    { certData: certificateData(pair.certificate) },
  );
  const uni = {
    id: 'uni',
    protocol: 'saml',
    name: 'University',
    metadata: { url: idp?.metadataUrl ?? `${provider.issuer}/none` },
    keys: [{ privateKey: { env: 'SP_KEY' }, certificate: { env: 'SP_CRT' } }],
    trustedEmailDomains: ['example.com'],
  };
  gate = await startGate(
    {
      publicUrl: origin,
      providers: [providerOf(origin, provider.issuer, 'corp'), uni],
      rules: [{ paths: ['/**'], allow: 'signed-in' }],
      bridge: {
        keys: [{ env: 'BRIDGE_KEY' }],
        clients: [clientFor(wiki, 'wiki', { frontChannelLogoutUri: `${wiki.origin}/frame` })],
      },
    },
    { port, env: { BRIDGE_KEY: key, APPLICATION_SECRET: applicationSecret, SP_KEY: pair.privateKey, SP_CRT: pair.certificate } },
  );
}, 120_000);

afterAll(async () => {
  await browser?.close();
  for (const one of [gate, wiki, idp, provider]) await one?.[Symbol.asyncDispose]();
});

async function newPage(): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(20_000);
  return page;
}

/** Opens the application and chooses where to sign in. @returns what finishes the sign-in once the browser is back */
async function begin(page: Page, choose: string) {
  const { url, pending } = await wiki.relyingParty.startSignIn();
  await page.goto(url.href);
  await page.click(`.providers a:has-text("${choose}")`);
  return async () => {
    await page.waitForURL(`${wiki.origin}/callback**`);
    await expect.poll(() => page.textContent('h1')).toBe('The application behind');
    return wiki.relyingParty.finishSignIn({ method: 'GET', url: page.url() }, pending);
  };
}

describe('an application behind the bridge, in a real browser', () => {
  test('a person signs in by OpenID Connect and out from the application, everywhere', async () => {
    const page = await newPage();
    const finish = await begin(page, 'Corp');
    await signInAtOpenIdProvider(page, 'ada', wiki.origin);
    const signIn = await finish();
    expect(await wiki.relyingParty.fetchUserInfo(signIn)).toMatchObject({ email: 'ada@example.org', provider: 'corp' });
    const out = await wiki.relyingParty.startSignOut({ idTokenHint: signIn.tokens.idToken ?? '' });
    await page.goto(out.url.href);
    // Through the frame, on to the provider, which asks, and back to the application.
    await page.waitForSelector('button[value=yes]');
    expect(wiki.frames.at(-1)).toMatch(/^\/frame\?iss=.+&sid=./);
    expect(wiki.signedOut).toEqual([signIn.claims.sid]);
    await page.click('button[value=yes]');
    await page.waitForURL(`${wiki.origin}/signed-out**`);
    expect(await wiki.relyingParty.finishSignOut({ method: 'GET', url: page.url() }, out.pending)).toMatchObject({
      state: 'matched',
    });
    await page.goto((await wiki.relyingParty.startSignIn()).url.href);
    await page.waitForSelector('.providers');
    await page.context().close();
  }, 60_000);

  test.skipIf(missing !== undefined)(
    `a person signs in by SAML; Single Logout at the identity provider signs out at the application${missing === undefined ? '' : ` (skipped: no ${missing})`}`,
    async () => {
      wiki.signedOut.length = 0;
      const page = await newPage();
      const finish = await begin(page, 'University');
      await page.fill('input[name=username]', 'alice');
      await page.fill('input[name=password]', 'secret');
      await page.press('input[name=password]', 'Enter');
      const signIn = await finish();
      expect(await wiki.relyingParty.fetchUserInfo(signIn)).toMatchObject({
        email: 'alice@example.com',
        provider: 'uni',
        groups: ['editors', 'staff'],
      });
      const idpOrigin = (idp as SimpleSamlPhp).origin;
      await page.goto(
        `${idpOrigin}/simplesaml/saml2/idp/SingleLogoutService.php?ReturnTo=${encodeURIComponent(`${idpOrigin}/simplesaml/`)}`,
      );
      await expect.poll(() => wiki.signedOut).toEqual([signIn.claims.sid]);
      await expect(wiki.relyingParty.fetchUserInfo(signIn)).rejects.toThrow();
      await page.context().close();
    },
    60_000,
  );
});
