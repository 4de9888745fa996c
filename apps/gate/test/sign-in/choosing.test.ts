import AxeBuilder from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../../../tools/chromium.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { serve, type TestServer } from '../support/servers.ts';
import { certificateData, createKeyPair, missing } from '../support/simplesamlphp.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';

// A mixed environment: one gate in front of people who sign in by OpenID Connect and people who sign in by SAML.

describe.skipIf(missing !== undefined)('choosing among providers of both protocols', () => {
  let browser: Browser;
  let provider: SmallProvider;
  let idp: TestServer;
  let gate: TestGate;

  beforeAll(async () => {
    const { certificate } = createKeyPair();
    idp = await serve((request, response) => {
      const origin = `http://${request.headers.host}`;
      if (request.url !== '/metadata') return void response.end('the sign-in page of the university');
      response.setHeader('content-type', 'application/samlmetadata+xml');
      response.end(
        `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${origin}/idp"><IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${certificateData(certificate)}</X509Certificate></X509Data></KeyInfo></KeyDescriptor><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${origin}/sso"/></IDPSSODescriptor></EntityDescriptor>`,
      );
    });
    [browser, provider] = await Promise.all([launchChromium(), startSmallProvider()]);
    gate = await startGate({
      providers: [
        corpProvider(provider),
        {
          id: 'uni',
          protocol: 'saml',
          name: 'University',
          metadata: { url: `${idp.origin}/metadata` },
          emailDomains: ['uni.example'],
        },
      ],
      rules: [{ paths: ['/**'], allow: 'signed-in' }],
    });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    for (const one of [gate, idp, provider]) await one?.[Symbol.asyncDispose]();
  });

  async function newPage(more: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    return (await browser.newContext({ javaScriptEnabled: false, ...more })).newPage();
  }

  test('shows both without a script, and leads each to its own provider', async () => {
    const page = await newPage();
    await page.goto(`${gate.origin}/wanted?x=1`);
    await expect.poll(() => page.locator('.providers a').allTextContents()).toEqual(['Corp', 'University']);
    await page.click('text=University');
    expect(page.url()).toMatch(new RegExp(`^${idp.origin}/sso\\?SAMLRequest=`));
    await page.goto(`${gate.origin}/wanted`);
    // What was chosen last stands first.
    await expect.poll(() => page.locator('.providers a span').allTextContents()).toEqual(['University', 'Corp']);
    await page.click('text=Corp');
    expect(new URL(page.url()).pathname).toBe('/authorize');
    await page.context().close();
  });

  test('finds the provider by email domain, and says so if there is none', async () => {
    const page = await newPage();
    await page.goto(`${gate.origin}/wanted`);
    await page.fill('input[name=email]', 'ada@elsewhere.example');
    await page.click('button[type=submit]');
    await expect.poll(() => page.textContent('.note')).toBe('No provider is set up for elsewhere.example. Choose one below.');
    await expect.poll(() => page.inputValue('input[name=email]')).toBe('ada@elsewhere.example');
    await page.fill('input[name=email]', 'Ada@UNI.example');
    await page.click('button[type=submit]');
    await page.waitForURL(`${idp.origin}/sso**`);
    await page.context().close();
  });

  test('chooses by ?provider=, and shows the page for an unknown name', async () => {
    const known = await gate.fetch('/gate/sign-in?provider=uni', { headers: { accept: 'text/html' } });
    expect(known.headers.get('location')).toMatch(new RegExp(`^${idp.origin}/sso`));
    const unknown = await gate.fetch('/gate/sign-in?provider=%3Cscript%3E', { headers: { accept: 'text/html' } });
    expect(unknown.status).toBe(200);
    expect(await unknown.text()).not.toContain('<script>');
  });

  test('works by keyboard alone, in order and with visible focus', async () => {
    const page = await newPage();
    await page.goto(`${gate.origin}/wanted`);
    const focused = () =>
      page.locator(':focus').evaluate(element => ({
        name: (element.textContent?.trim() || element.getAttribute('name')) ?? '',
        isSeen: getComputedStyle(element).outlineStyle !== 'none',
      }));
    const order: { name: string; isSeen: boolean }[] = [];
    for (let step = 0; step < 4; step += 1) {
      await page.keyboard.press('Tab');
      order.push(await focused());
    }
    expect(order).toEqual(['Corp', 'University', 'email', 'Continue'].map(name => ({ name, isSeen: true })));
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.type('ada@uni.example');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${idp.origin}/sso**`);
    await page.context().close();
  });

  test.each([
    ['light', 390],
    ['dark', 390],
    ['light', 1440],
    ['dark', 1440],
  ] as const)('is accessible and fits in %s at %d px', async (colorScheme, width) => {
    const page = await newPage({ javaScriptEnabled: true, bypassCSP: true, colorScheme, viewport: { width, height: 844 } });
    await page.goto(`${gate.origin}/wanted`);
    await page.evaluate(AxeBuilder.source);
    const { violations } = await page.evaluate(() =>
      (globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } }).axe.run(),
    );
    expect(violations.map(one => one.id)).toEqual([]);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await page.context().close();
  });
});
