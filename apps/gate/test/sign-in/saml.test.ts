import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../../tools/chromium.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { seenBy } from '../support/person.ts';
import { freePort } from '../support/servers.ts';
import { certificateData, createKeyPair, missing, type SimpleSamlPhp, startSimpleSamlPhp } from '../support/simplesamlphp.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

describe.skipIf(missing !== undefined)(
  `SAML with SimpleSAMLphp, in a real browser${missing === undefined ? '' : ` (skipped: no ${missing})`}`,
  () => {
    let browser: Browser;
    let upstream: Upstream;
    let idp: SimpleSamlPhp;
    let gate: TestGate;
    let twin: TestGate;

    beforeAll(async () => {
      const [gatePort, twinPort] = [await freePort(), await freePort()];
      const origin = `http://127.0.0.1:${gatePort}`;
      [browser, upstream, idp] = await Promise.all([launchChromium(), startUpstream(), startSimpleSamlPhp()]);
      const pair = createKeyPair();
      idp.know(
        `${origin}/gate/uni/metadata`,
        { acs: `${origin}/gate/uni/acs`, slo: `${origin}/gate/uni/slo` },
        { certData: certificateData(pair.certificate) },
      );
      const settings = {
        publicUrl: origin,
        upstream: upstream.origin,
        providers: [
          {
            id: 'uni',
            protocol: 'saml',
            name: 'University',
            metadata: { url: idp.metadataUrl },
            wantAssertionsSigned: true,
            keys: [{ privateKey: { env: 'SP_KEY' }, certificate: { env: 'SP_CRT' } }],
            trustedEmailDomains: ['example.com'],
          },
        ],
        rules: [
          { paths: ['/staff/**'], allow: { provider: 'uni', groups: ['staff'], emailDomains: ['example.com'] } },
          { paths: ['/board/**'], allow: { provider: 'uni', groups: ['board'] } },
          { paths: ['/**'], allow: 'signed-in' },
        ],
      };
      const env = { SP_KEY: pair.privateKey, SP_CRT: pair.certificate };
      gate = await startGate(settings, { port: gatePort, env });
      twin = await startGate(settings, { port: twinPort, env, store: gate.store });
    }, 120_000);

    afterAll(async () => {
      await browser?.close();
      for (const one of [twin, gate, idp, upstream]) await one?.[Symbol.asyncDispose]();
    });

    async function signedIn(path: string): Promise<Page> {
      const page = await (await browser.newContext()).newPage();
      page.setDefaultTimeout(30_000);
      await page.goto(`${gate.origin}${path}`);
      await page.fill('input[name=username]', 'alice');
      await page.fill('input[name=password]', 'secret');
      await Promise.all([
        page.waitForURL(url => url.href === `${gate.origin}${path}`),
        page.press('input[name=password]', 'Enter'),
      ]);
      return page;
    }

    async function statuses(page: Page): Promise<number[]> {
      const cookie = (await page.context().cookies(gate.origin)).map(one => `${one.name}=${one.value}`).join('; ');
      return Promise.all([gate, twin].map(async one => (await one.fetch('/gate/me', { headers: { cookie } })).status));
    }

    test('a page needs a sign-in, which leads back to it with the attributes in headers', async () => {
      const page = await signedIn('/staff/plan?week=7');
      await expect
        .poll(async () => (await seenBy(page)).headers)
        .toMatchObject({
          'x-auth-subject': 'alice@example.com',
          'x-auth-issuer': idp.entityId,
          'x-auth-email': 'alice@example.com',
          'x-auth-name': "UTF-8''Alice%20%C3%84",
          'x-auth-groups': 'editors,staff',
        });
      const denied = await page.goto(`${gate.origin}/board/minutes`);
      expect(denied?.status()).toBe(403);
      await expect.poll(() => page.textContent('main')).toContain('Your account doesn’t have access to this address.');
      await page.context().close();
    }, 60_000);

    test('Single Logout from the provider ends the session on both gates', async () => {
      const page = await signedIn('/x');
      const cookies = await page.context().cookies(gate.origin);
      await expect.poll(() => statuses(page)).toEqual([200, 200]);
      await page.goto(
        `${idp.origin}/simplesaml/saml2/idp/SingleLogoutService.php?ReturnTo=${encodeURIComponent(`${idp.origin}/simplesaml/`)}`,
      );
      await page.context().addCookies(cookies);
      await expect.poll(() => statuses(page)).toEqual([401, 401]);
      expect(gate.log.filter(line => line.audit === 'signed-out-by-provider')).toMatchObject([{ how: 'slo', sessions: 1 }]);
      await page.context().close();
    }, 60_000);

    test('Single Logout from here ends the session there, and says so', async () => {
      const page = await signedIn('/x');
      await page.goto(`${gate.origin}/gate/sign-out`);
      await Promise.all([page.waitForURL(`${gate.origin}/gate/signed-out**`), page.click('button[type=submit]')]);
      await expect.poll(() => page.textContent('.note.good')).toBe('University signed you out as well.');
      await page.goto(`${gate.origin}/x`);
      await page.waitForSelector('input[name=username]');
      await page.context().close();
    }, 60_000);

    test('a Response from another site’s form, without a sign-in of this browser, signs nobody in', async () => {
      const page = await (await browser.newContext()).newPage();
      await page.goto(`${gate.origin}/gate/healthz`);
      const answer = await gate.fetch('/gate/uni/acs', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          SAMLResponse: Buffer.from('<samlp:Response/>').toString('base64'),
          RelayState: 'x'.repeat(32),
        }),
      });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/gate/sign-in?notice=cookies']);
      expect(answer.headers.getSetCookie().some(cookie => /^gate=[^;]/.test(cookie))).toBe(false);
      await page.context().close();
    });

    test('our metadata is there for the provider, and GET at the consumer is refused', async () => {
      const metadata = await gate.fetch('/gate/uni/metadata');
      expect(metadata.headers.get('content-type')).toBe('application/samlmetadata+xml');
      expect(await metadata.text()).toContain(`Location="${gate.origin}/gate/uni/acs"`);
      await expect.poll(async () => (await gate.fetch('/gate/uni/acs')).status).toBe(405);
    });
  },
);
