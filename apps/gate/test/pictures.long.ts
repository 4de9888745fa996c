import { generateKeyPairSync } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealResult } from '../src/routes/afterwards.ts';
import { newSecret } from '../src/sessions/pending.ts';
import { Sealer } from '../src/sessions/seal.ts';
import { type Application, applicationSecret, clientFor, Jar, signInAt, startApplication } from './support/application.ts';
import { startGate, type TestGate, testKey } from './support/gate.ts';
import { photograph } from './support/pictures.ts';
import { freePort } from './support/servers.ts';
import { sessionCookie } from './support/session.ts';

// `npm run test:long apps/gate/test/pictures`: the gate's pages in light and dark, on a phone and on a desk, of a gate that runs: the provider is out of
// reach, and of two applications behind the bridge one does not answer. They land in PICTURES or a temporary folder.
let wiki: Application;
let board: Application;
let gate: TestGate;

const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const provider = (id: string, name: string, more: object = {}) => ({
  id,
  protocol: 'oidc',
  name,
  issuer: 'https://op.example',
  clientId: id,
  clientSecret: { env: 'CLIENT_SECRET' },
  ...more,
});
beforeAll(async () => {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}/gate/oidc`;
  [wiki, board] = await Promise.all([startApplication(issuer, 'wiki'), startApplication(issuer, 'board')]);
  wiki.refuse = 500;
  gate = await startGate(
    {
      upstream: `http://127.0.0.1:${await freePort()}`,
      providers: [
        provider('corp', 'Corp', { emailDomains: ['corp.example'] }),
        provider('uni', 'University of the Northern Lakes and Forests'),
        provider('lab', 'Laboratory', { issuer: `http://127.0.0.1:${await freePort()}` }),
      ],
      rules: [
        { paths: ['/staff/**'], allow: { provider: 'corp', groups: ['directors'] } },
        { paths: ['/university/**'], allow: { provider: 'uni' } },
        { paths: ['/**'], allow: 'signed-in' },
      ],
      bridge: {
        keys: [{ env: 'RSA_KEY' }],
        clients: [
          clientFor(wiki, 'wiki', { name: 'Wiki' }),
          clientFor(board, 'board', { name: 'Minutes of the board', allow: { provider: 'corp', groups: ['board'] } }),
        ],
      },
    },
    { port, env: { RSA_KEY: pem, APPLICATION_SECRET: applicationSecret } },
  );
}, 60_000);

afterAll(async () => {
  for (const one of [gate, wiki, board]) await one?.[Symbol.asyncDispose]();
});

type Scene = readonly [name: string, isSignedIn: boolean, open: (page: Page) => Promise<unknown>];
const at =
  (path: string) =>
  (page: Page): Promise<unknown> =>
    page.goto(`${gate.origin}${path}`);

/** As the gate sends a browser on after a sign-out. */
async function showResult(page: Page, result: Parameters<typeof sealResult>[2]): Promise<unknown> {
  const browser = newSecret();
  await page.context().addCookies([{ name: 'gate-browser', value: browser, url: gate.origin }]);
  return at(`/gate/signed-out?result=${sealResult(new Sealer([testKey]), browser, result)}`)(page);
}

const askToSignOut = (page: Page) =>
  at(`/gate/oidc/session/end?client_id=wiki&post_logout_redirect_uri=${encodeURIComponent(`${wiki.origin}/signed-out`)}`)(page);

async function sendForm(page: Page, length: number, from = `${gate.origin}/gate/sign-in`): Promise<void> {
  await page.goto(from);
  const sent = page.waitForNavigation();
  await page.evaluate(size => {
    const form = document.createElement('form');
    form.method = 'POST';
    form.action = '/notes';
    form.append(Object.assign(document.createElement('textarea'), { name: 'text', value: 'x'.repeat(size) }));
    document.body.append(form);
    setTimeout(() => form.submit());
  }, length);
  await sent;
}

/** The page that sends a kept form, opened a second time. */
async function sendFormAgain(page: Page): Promise<void> {
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await sendForm(page, 10);
  const resume = new URL(page.url()).searchParams.get('returnTo')!;
  await page.context().addCookies(cookies);
  await page.request.get(gate.origin + resume);
  await at(resume)(page);
}

/** A form that was filled in while the site was open by another name. */
async function sendFormElsewhere(page: Page): Promise<void> {
  const from = `http://localhost:${new URL(gate.origin).port}/note`;
  await page.route(from, route => route.fulfill({ contentType: 'text/html', body: '<title>Note</title>' }));
  await sendForm(page, 10, from);
}

const scenes: readonly Scene[] = [
  ['sign-in', false, at('/gate/sign-in?returnTo=%2Fnotes')],
  ['sign-in-over', false, at('/gate/sign-in?notice=over')],
  ['sign-in-cookies', false, at('/gate/sign-in?notice=cookies')],
  ['form-not-kept', false, page => sendForm(page, 70_000)],
  ['form-sent-again', true, sendFormAgain],
  ['form-lost', true, at(`/gate/resume?form=${'x'.repeat(32)}&page=%2Fnotes`)],
  ['form-elsewhere', false, sendFormElsewhere],
  ['sign-in-form-not-kept', false, at('/gate/sign-in?notice=form&returnTo=%2Fnotes')],
  [
    'sign-in-unknown-address',
    false,
    async page => {
      await at('/gate/sign-in')(page);
      await page.fill('#email', 'ada@elsewhere.example');
      await page.press('#email', 'Enter');
      await page.waitForSelector('.note');
    },
  ],
  ['provider-down', false, at('/gate/sign-in?provider=lab')],
  ['application-down', true, at('/notes')],
  ['refused', true, at('/staff/x')],
  ['refused-other-provider', true, at('/university/x')],
  ['address-refused', true, at('/a%2Fb')],
  ['sign-out', true, at('/gate/sign-out')],
  ['signed-out-half', false, page => showResult(page, { outcome: 'half-done', provider: 'corp' })],
  ['signed-out-whole', false, page => showResult(page, { outcome: 'complete', provider: 'uni' })],
  ['bridge-refused', true, async page => page.goto((await board.relyingParty.startSignIn()).url.href)],
  ['bridge-sign-out', true, page => askToSignOut(page)],
  [
    'bridge-signed-out-half',
    true,
    async page => {
      const jar = new Jar();
      for (const { name, value } of await page.context().cookies()) jar.cookies.set(name, value);
      await signInAt(wiki, jar);
      await at(
        `/gate/oidc/session/end?client_id=wiki&post_logout_redirect_uri=${encodeURIComponent(`${wiki.origin}/signed-out`)}`,
      )(page);
      await page.click('button.first');
      await page.waitForSelector('.note.warn');
    },
  ],
  ['bridge-wrong-request', false, at('/gate/oidc/auth?client_id=nobody&response_type=code')],
];

test('no page of the gate is wider than its window, and a picture of each is taken', async () => {
  expect(
    await photograph(scenes, async ([name, isSignedIn, open], page) => {
      if (isSignedIn) {
        const [cookie = '', value = ''] = (await sessionCookie(gate, {}, { signIn: { tokens: {} } })).split('=');
        await page.context().addCookies([{ name: cookie, value, url: gate.origin }]);
      }
      await open(page);
      return name;
    }),
  ).toEqual([]);
}, 600_000);
