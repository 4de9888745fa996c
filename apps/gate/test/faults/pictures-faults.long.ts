import { openStore, type SignInStore } from '@octavo/sign-in-store';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { photograph } from '../support/pictures.ts';
import { freePort, serve, type TestServer } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { certificateData, createKeyPair, missing, type SimpleSamlPhp, startSimpleSamlPhp } from '../support/simplesamlphp.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// `npm run test:long apps/gate/test/faults/pictures`: what a person sees of each fault, of a gate where it happens. Beside pictures.long.ts.

const absent = missing === undefined ? '' : ` (skipped: no ${missing})`;

describe.skipIf(missing !== undefined)(`the pages of faults${absent}`, () => {
  let upstream: Upstream;
  let provider: SmallProvider;
  let idp: SimpleSamlPhp;
  let metadata: TestServer;
  let gate: TestGate;
  let store: SignInStore;
  let storeless: TestGate;

  beforeAll(async () => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    [upstream, provider, idp] = await Promise.all([startUpstream(), startSmallProvider(), startSimpleSamlPhp()]);
    const pair = createKeyPair();
    idp.know(
      `${origin}/gate/uni/metadata`,
      { acs: `${origin}/gate/uni/acs`, slo: `${origin}/gate/uni/slo` },
      { certData: certificateData(pair.certificate) },
    );
    // As it was, whatever the provider signs with later.
    const before = await (await fetch(idp.metadataUrl)).text();
    metadata = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/samlmetadata+xml' }).end(before);
    });
    const settings = {
      upstream: upstream.origin,
      timeouts: { response: '1s' },
      providers: [
        corpProvider(provider),
        {
          id: 'uni',
          protocol: 'saml',
          name: 'University',
          metadata: { url: metadata.origin },
          keys: [{ privateKey: { env: 'SP_KEY' }, certificate: { env: 'SP_CRT' } }],
        },
      ],
      rules: [{ paths: ['/**'], allow: 'signed-in' }],
    };
    const env = { SP_KEY: pair.privateKey, SP_CRT: pair.certificate };
    gate = await startGate(settings, { port, env });
    store = await openStore(gate.store);
    storeless = await startGate(settings, { env, overrides: { store } });
  }, 120_000);

  afterAll(async () => {
    for (const one of [storeless, gate, metadata, provider, idp, upstream]) await one?.[Symbol.asyncDispose]();
  });

  async function giveSession(page: Page): Promise<void> {
    const [name = '', value = ''] = (await sessionCookie(gate, { issuer: provider.issuer }, { signIn: { tokens: {} } })).split(
      '=',
    );
    await page.context().addCookies([{ name, value, url: gate.origin }]);
  }

  /** A person at the provider, whose answer says this, comes back. */
  async function comeBack(page: Page, seconds = 0): Promise<void> {
    await page.goto(`${gate.origin}/gate/sign-in?provider=corp&returnTo=%2Fnotes`);
    const { searchParams } = new URL(page.url());
    const now = Math.floor(Date.now() / 1000) + seconds;
    const nonce = searchParams.get('nonce') ?? undefined;
    const token = await provider.sign({
      iss: provider.issuer,
      aud: 'gate',
      sub: 'ada',
      iat: now,
      exp: now + 300,
      nonce,
    } as never);
    provider.answers.token = async () => ({ status: 200, body: { access_token: 'a', token_type: 'Bearer', id_token: token } });
    await page.goto(`${gate.origin}/gate/corp/callback?code=c&state=${searchParams.get('state')}`);
  }

  const scenes: readonly (readonly [name: string, words: string, open: (page: Page) => Promise<unknown>])[] = [
    [
      'fault-provider-down',
      'The provider is unavailable',
      async page => {
        const other = await startSmallProvider();
        await using gone = await startGate({ providers: [corpProvider(other, { name: 'Corp' })] });
        await other[Symbol.asyncDispose]();
        await page.goto(`${gone.origin}/gate/sign-in?provider=corp`);
        await page.waitForLoadState('networkidle');
      },
    ],
    // Before the next one: after keys could not be fetched, the next try waits a while.
    ['fault-clock', 'Sign-in failed', page => comeBack(page, 180)],
    [
      'fault-key-set-down',
      'The provider is unavailable',
      async page => {
        // A key that was never seen, and a key set that cannot be asked.
        await provider.rotate();
        provider.answers.isKeySetDown = true;
        await comeBack(page);
        provider.answers.isKeySetDown = false;
      },
    ],
    [
      'fault-certificate',
      'Sign-in failed',
      async page => {
        idp.signWith(createKeyPair());
        await page.goto(`${gate.origin}/gate/sign-in?provider=uni`);
        await page.fill('input[name=username]', 'alice');
        await page.fill('input[name=password]', 'secret');
        await page.press('input[name=password]', 'Enter');
        await page.waitForURL(url => url.href.startsWith(gate.origin));
      },
    ],
    [
      'fault-application-hangs',
      'The application timed out',
      async page => {
        await giveSession(page);
        await page.goto(`${gate.origin}/hang`);
      },
    ],
    [
      'fault-refused-by-provider',
      'The provider did not sign you in',
      async page => {
        await page.goto(`${gate.origin}/gate/sign-in?provider=corp`);
        const state = new URL(page.url()).searchParams.get('state');
        await page.goto(`${gate.origin}/gate/corp/callback?error=access_denied&state=${state}`);
      },
    ],
    [
      'fault-half-signed-out',
      'ask Corp to sign you out as well',
      async page => {
        await giveSession(page);
        const other = await startSmallProvider();
        await using alone = await startGate({ providers: [corpProvider(other)] }, { store: gate.store });
        const cookie = await sessionCookie(gate, { issuer: other.issuer }, { signIn: { tokens: { idToken: 'x' } } });
        const [name = '', value = ''] = cookie.split('=');
        await page.context().addCookies([{ name, value, url: alone.origin }]);
        await other[Symbol.asyncDispose]();
        await page.goto(`${alone.origin}/gate/sign-out`);
        await page.click('button.first');
        await page.waitForSelector('.note.warn');
        await page.waitForLoadState('networkidle');
      },
    ],
    // The last one: the store does not come back.
    [
      'fault-store-down',
      'Sign-in is unavailable',
      async page => {
        await store.close();
        await page.goto(`${storeless.origin}/gate/sign-in?provider=corp`);
        await giveSession(page);
        await page.goto(`${storeless.origin}/notes`);
      },
    ],
  ];

  test('say what is wrong, in pictures and no wider than their window', async () => {
    const tooWide = await photograph(scenes, async ([name, words, open], page) => {
      page.setDefaultTimeout(30_000);
      await open(page);
      await expect.poll(() => page.textContent('body'), { message: `${name} at ${page.url()}` }).toContain(words);
      return name;
    });
    expect(tooWide).toEqual([]);
  }, 600_000);
});
