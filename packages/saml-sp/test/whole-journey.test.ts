import { describe, expect, test } from 'vitest';
import { findEndpoint } from '../src/idp/identity-provider.ts';
import { bindings } from '../src/xml/names.ts';
import { type Application, startApplication } from './support/application.ts';
import { encryptElement } from './support/encryptor.ts';
import { logoutQuery, type SmallIdp, startSmallIdp } from './support/small-idp.ts';
import { Visitor } from './support/visitor.ts';

/** Both sides on loopback, no browser: the provider may misbehave on command. */
async function world(): Promise<{ idp: SmallIdp; app: Application } & AsyncDisposable> {
  const idp = await startSmallIdp();
  const app = await startApplication(idp.known());
  idp.logoutAddress = `${app.origin}/saml/slo`;
  return {
    idp,
    app,
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]();
      await idp[Symbol.asyncDispose]();
    },
  };
}

async function signIn(visitor: Visitor, app: Application, query = ''): Promise<string> {
  let page = await (await visitor.visit(`${app.origin}/sign-in${query}`)).text();
  // By POST the first page is ours and carries the request.
  if (query.includes('post')) page = await (await visitor.submit(page)).text();
  return await (await visitor.submit(page)).text();
}

describe('a sign-in from end to end', () => {
  test.each(['', '?binding=post', '?force'])('honest %s', async query => {
    await using both = await world();
    const visitor = new Visitor();
    expect(await signIn(visitor, both.app, query)).toBe('signed in as alice');
    expect(await (await visitor.open(`${both.app.origin}/`)).text()).toBe('hello alice');
    expect(both.idp.seen[0]).toContain('<saml:Issuer>');
  });

  test.each<[string, SmallIdp['misbehave'], string]>([
    [
      'sends the assertion of another application',
      { assertion: xml => xml.replace(/<saml:Audience>[^<]*/, '<saml:Audience>https://other.example') },
      'SAML_AUDIENCE',
    ],
    [
      'sends it for another address',
      { assertion: xml => xml.replace(/Recipient="[^"]*"/, 'Recipient="https://other.example/acs"') },
      'SAML_RECIPIENT',
    ],
    [
      'answers another request',
      { assertion: xml => xml.replace(/ InResponseTo="[^"]*"/, ' InResponseTo="_other"') },
      'SAML_IN_RESPONSE_TO',
    ],
    ['signs nothing', { sign: 'none' }, 'SAML_SIGNATURE_MISSING'],
    ['signs with another key', { signAssertion: { key: 'attacker' } }, 'SAML_SIGNATURE_INVALID'],
    [
      'is changed on the way',
      { signedAssertion: xml => xml.replace('>alice<', '>admin<'), sign: 'assertion' },
      'SAML_SIGNATURE_INVALID',
    ],
    ['encrypts an unsigned assertion', { sign: 'none', encrypt: {} }, 'SAML_SIGNATURE_MISSING'],
    ['encrypts to another party', { encrypt: { key: 'other' } }, 'SAML_DECRYPTION_FAILED'],
    ['puts a comment into the name', { signedAssertion: xml => xml.replace('>alice<', '>al<!---->ice<') }, 'SAML_XML_DOCTYPE'],
    [
      'sends two assertions',
      { wire: xml => xml.replace('</samlp:Response>', () => `${encryptElement('<a/>', 'EncryptedAssertion')}</samlp:Response>`) },
      'SAML_STRUCTURE',
    ],
  ])('a provider that %s is refused, and nobody is signed in', async (_name, misbehave, code) => {
    await using both = await world();
    both.idp.misbehave = misbehave;
    const visitor = new Visitor();
    expect(await signIn(visitor, both.app)).toBe(code);
    expect(await (await visitor.open(`${both.app.origin}/`)).text()).toBe('signed out');
    both.idp.misbehave = {};
    expect(await signIn(visitor, both.app)).toBe('signed in as alice');
  });

  test('two tabs in parallel, each with its own cookie jar, both succeed', async () => {
    await using both = await world();
    const outcomes = await Promise.all([signIn(new Visitor(), both.app), signIn(new Visitor(), both.app)]);
    expect(outcomes).toEqual(['signed in as alice', 'signed in as alice']);
  });
});

describe('a logout from end to end', () => {
  test.each([
    ['Success', 'logout complete'],
    ['Responder', 'logout half-done'],
  ])('that we begin and the provider answers with %s', async (status, expected) => {
    await using both = await world();
    both.idp.logoutStatus = status;
    const visitor = new Visitor();
    await signIn(visitor, both.app);
    expect(await (await visitor.visit(`${both.app.origin}/sign-out`)).text()).toBe(expected);
    expect(both.app.sessions.size).toBe(0);
    expect(both.idp.seen.at(-1)).toContain('<samlp:SessionIndex>_session1</samlp:SessionIndex>');
  });

  test('a silent provider: our session has ended all the same', async () => {
    await using both = await world();
    both.idp.silent = true;
    const visitor = new Visitor();
    await signIn(visitor, both.app);
    const waiting = visitor.visit(`${both.app.origin}/sign-out`).catch(() => 'gave up');
    await expect.poll(() => both.idp.seen.length).toBe(2);
    expect(both.app.sessions.size).toBe(0);
    await both.idp[Symbol.asyncDispose]();
    expect(await waiting).toBe('gave up');
  });

  test('that the provider begins: only the sessions it names end, and it gets a signed answer', async () => {
    await using both = await world();
    const visitor = new Visitor();
    await signIn(visitor, both.app);
    const slo = `${both.app.origin}/saml/slo`;
    const other = await visitor.open(`${slo}?${logoutQuery(both.idp, slo, 'alice', { sessionIndex: '_another' })}`);
    expect([other.status, both.app.sessions.size]).toEqual([302, 1]);
    const someoneElse = await visitor.open(`${slo}?${logoutQuery(both.idp, slo, 'bob')}`);
    expect([someoneElse.status, both.app.sessions.size]).toEqual([302, 1]);
    const hers = await visitor.open(`${slo}?${logoutQuery(both.idp, slo, 'alice', { sessionIndex: '_session1' })}`);
    expect(both.app.sessions.size).toBe(0);
    const answered = await visitor.open(hers.headers.get('location') ?? '');
    expect(await answered.text()).toBe('signed out');
    expect(both.idp.seen.at(-1)).toContain('status:Success');
  });

  test('that an attacker begins ends nothing', async () => {
    await using both = await world();
    const visitor = new Visitor();
    await signIn(visitor, both.app);
    const slo = `${both.app.origin}/saml/slo`;
    const response = await visitor.open(`${slo}?${logoutQuery(both.idp, slo, 'alice', { key: 'attacker' })}`);
    expect([response.status, await response.text(), both.app.sessions.size]).toEqual([403, 'SAML_SIGNATURE_INVALID', 1]);
  });

  test('by POST when the provider has no Redirect', async () => {
    await using idp = await startSmallIdp();
    const known = idp.known();
    const post = findEndpoint(known.singleLogout, [bindings.post]);
    await using app = await startApplication({ ...known, singleLogout: post === undefined ? [] : [post] });
    idp.logoutAddress = `${app.origin}/saml/slo`;
    const visitor = new Visitor();
    await signIn(visitor, app);
    const page = await (await visitor.visit(`${app.origin}/sign-out`)).text();
    const answered = await visitor.submit(page);
    expect(await (await visitor.open(answered.headers.get('location') ?? '')).text()).toBe('logout complete');
  });
});
