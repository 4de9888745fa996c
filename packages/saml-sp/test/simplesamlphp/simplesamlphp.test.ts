import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../../tools/chromium.ts';
import {
  attributeValues,
  type IdentityProviderPolicy,
  paosContentType,
  readIdpMetadata,
  type ServiceProviderOptions,
} from '../../src/index.ts';
import { type Application, startApplication } from '../support/application.ts';
import { missing, missingForArtifacts, type SimpleSamlPhp, startSimpleSamlPhp } from './simplesamlphp.ts';

describe.skipIf(missing)(
  `SimpleSAMLphp, driven in a real browser${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    let idp: SimpleSamlPhp;
    let browser: Browser;

    beforeAll(async () => {
      [idp, browser] = await Promise.all([startSimpleSamlPhp(), launchChromium()]);
    }, 120_000);
    afterAll(async () => {
      await browser?.close();
      await idp?.[Symbol.asyncDispose]();
    });

    /** An application that read the provider's own metadata, and that the provider knows. */
    async function application(
      policy: Partial<IdentityProviderPolicy> = {},
      more: Record<string, unknown> = {},
      options: Partial<ServiceProviderOptions> = {},
    ): Promise<Application> {
      const metadata = await (await fetch(idp.metadataUrl)).text();
      const [provider] = readIdpMetadata(metadata, { policy });
      if (provider === undefined) throw new Error('no provider');
      const app = await startApplication(provider, options);
      idp.know(`${app.origin}/saml/metadata`, { acs: `${app.origin}/saml/acs`, slo: `${app.origin}/saml/slo` }, more);
      return app;
    }

    async function newPage(): Promise<Page> {
      return await (await browser.newContext()).newPage();
    }

    async function signIn(page: Page, app: Application, query = ''): Promise<string> {
      await page.goto(`${app.origin}/sign-in${query}`);
      await page.waitForSelector('input[name=username]', { timeout: 5_000 }).catch(async () => {
        throw new Error(
          `no sign-in page at ${page.url()}: ${(await page.textContent('body'))?.slice(0, 600)}\n${idp.log().slice(-1500)}`,
        );
      });
      await page.fill('input[name=username]', 'alice');
      await page.fill('input[name=password]', 'secret');
      await Promise.all([page.waitForURL(`${app.origin}/**`), page.press('input[name=password]', 'Enter')]);
      return (await page.textContent('body')) ?? '';
    }

    test('its metadata is read: keys, addresses, formats', async () => {
      const [provider] = readIdpMetadata(await (await fetch(idp.metadataUrl)).text());
      expect(provider?.entityId).toBe(idp.entityId);
      expect(provider?.signingKeys.length).toBeGreaterThan(0);
      expect(provider?.singleLogout.length).toBeGreaterThan(0);
    });

    test('a complete sign-in by Redirect, signed Response and assertion', async () => {
      await using app = await application({ wantResponseSigned: true, wantAssertionsSigned: true });
      const page = await newPage();
      expect(await signIn(page, app)).toBe('signed in as alice@example.com');
      const [identity] = app.sessions.values();
      expect(identity?.issuer).toBe(idp.entityId);
      expect(attributeValues(identity?.attributes ?? [], 'displayName')).toEqual(['Alice Ä']);
      expect(attributeValues(identity?.attributes ?? [], 'groups')).toEqual(['editors', 'staff']);
      await page.context().close();
    }, 60_000);

    test('a complete sign-in with the request by POST', async () => {
      await using app = await application();
      const page = await newPage();
      expect(await signIn(page, app, '?binding=post')).toBe('signed in as alice@example.com');
      await page.context().close();
    }, 60_000);

    describe.skipIf(missingForArtifacts)(
      `its artifacts${missingForArtifacts === undefined ? '' : ` (skipped: ${missingForArtifacts})`}`,
      () => {
        test('a complete sign-in by artifact: its ArtifactResponse is signed, its Response is not', async () => {
          const asked: string[] = [];
          const fetch: typeof globalThis.fetch = async (url, init) => {
            asked.push(String(url));
            return await globalThis.fetch(url, init);
          };
          const options = { artifactResolution: {}, fetch };
          await using app = await application({}, { 'saml20.sign.assertion': false }, options);
          const page = await newPage();
          const arrived = page.waitForRequest(`${app.origin}/saml/acs**`);
          expect(await signIn(page, app, '?answer=artifact')).toBe('signed in as alice@example.com');
          expect((await arrived).method()).toBe('GET');
          expect(asked).toEqual([new URL('ArtifactResolutionService.php', idp.ssoUrl).href]);
          await page.reload();
          await expect.poll(() => page.textContent('body')).toMatch(/^SAML_(REPLAYED|UNSOLICITED)$/);
          expect(asked).toHaveLength(1);
          await page.context().close();
        }, 60_000);
      },
    );

    test('only the assertion signed, only the Response signed', async () => {
      for (const more of [{ 'saml20.sign.response': false }, { 'saml20.sign.assertion': false }]) {
        await using app = await application({}, more);
        const page = await newPage();
        expect(await signIn(page, app)).toBe('signed in as alice@example.com');
        await page.context().close();
      }
    }, 60_000);

    test('neither signed is refused', async () => {
      await using app = await application({}, { 'saml20.sign.response': false, 'saml20.sign.assertion': false });
      const page = await newPage();
      expect(await signIn(page, app)).toBe('SAML_SIGNATURE_MISSING');
      await page.context().close();
    }, 60_000);

    test('an encrypted assertion: it knows only AES-CBC, so the flag decides', async () => {
      const more = { 'assertion.encryption': true };
      await using strict = await application({}, more);
      const first = await newPage();
      expect(await signIn(first, strict)).toBe('SAML_ENCRYPTION_PROFILE');
      await first.context().close();
      await using app = await application({ dangerouslyAllowCbc: true, wantAssertionsEncrypted: true }, more);
      const page = await newPage();
      expect(await signIn(page, app)).toBe('signed in as alice@example.com');
      await page.context().close();
    }, 60_000);

    test('NoPassive is told as what it is, and no session begins', async () => {
      await using app = await application();
      const page = await newPage();
      await page.goto(`${app.origin}/sign-in?passive`);
      await expect.poll(() => page.textContent('body')).toBe('SAML_STATUS');
      expect(app.sessions.size).toBe(0);
      await page.context().close();
    }, 60_000);

    test('signed logout that we begin: our session ends, its session ends, it answers Success', async () => {
      await using app = await application();
      const page = await newPage();
      await signIn(page, app);
      await page.goto(`${app.origin}/sign-out`);
      await expect.poll(() => page.textContent('body')).toBe('logout complete');
      expect(app.sessions.size).toBe(0);
      await page.goto(`${app.origin}/sign-in`);
      await expect.poll(() => page.isVisible('input[name=username]')).toBe(true);
      await page.context().close();
    }, 60_000);

    test('signed logout that it begins: our session ends and it believes our answer', async () => {
      await using app = await application();
      const page = await newPage();
      await signIn(page, app);
      expect(app.sessions.size).toBe(1);
      const end = new URL('SingleLogoutService.php', idp.ssoUrl);
      end.searchParams.set('ReturnTo', `${app.origin}/`);
      await page.goto(end.href);
      await page.waitForURL(`${app.origin}/`);
      await expect.poll(() => page.textContent('body')).toBe('signed out');
      expect(app.sessions.size).toBe(0);
      expect(app.refusals).toEqual([]);
      await page.context().close();
    }, 60_000);

    test('ECP: a client without a browser signs in with a password in the header', async () => {
      await using app = await application();
      const { envelope, pending } = await app.sp.startEcp(idp.entityId);
      expect(envelope).toContain('responseConsumerURL');
      const body = envelope.replace(/<soap:Header>.*<\/soap:Header>/s, '');
      const answer = await fetch(idp.ssoUrl, {
        method: 'POST',
        headers: { 'content-type': 'text/xml', authorization: `Basic ${Buffer.from('alice:secret').toString('base64')}` },
        body,
      });
      const response = await answer.text();
      expect(answer.status, `${response}\n${idp.log()}`).toBe(200);
      expect(/AssertionConsumerServiceURL="([^"]*)"/.exec(response)?.[1]).toBe(`${app.origin}/saml/acs`);
      const soap =
        'xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" soap:mustUnderstand="1" soap:actor="http://schemas.xmlsoap.org/soap/actor/next"';
      const relay = `<ecp:RelayState ${soap} xmlns:ecp="urn:oasis:names:tc:SAML:2.0:profiles:SSO:ecp">${pending.relayState}</ecp:RelayState>`;
      const carried = response.replace(/(<([\w-]+:)?Header>).*(<\/([\w-]+:)?Header>)/s, `$1${relay}$3`);
      const http = { method: 'POST', url: '/saml/acs', contentType: paosContentType, body: carried };
      const identity = await app.sp.finishEcp(http, pending);
      expect(identity.nameId?.value).toBe('alice@example.com');
      await expect(app.sp.finishEcp(http, pending)).rejects.toMatchObject({ code: 'SAML_REPLAYED' });
    }, 60_000);
  },
);
