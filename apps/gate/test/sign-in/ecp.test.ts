import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { freePort, serve, type TestServer } from '../support/servers.ts';
import {
  certificateData,
  createKeyPair,
  enhancedClient,
  missing,
  type SimpleSamlPhp,
  startSimpleSamlPhp,
} from '../support/simplesamlphp.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// A client that is no browser signs in by SAML: it carries the envelopes between the gate and the identity provider itself.

describe.skipIf(missing !== undefined)(`an enhanced client${missing === undefined ? '' : ` (skipped: no ${missing})`}`, () => {
  let upstream: Upstream;
  let idp: SimpleSamlPhp;
  let gate: TestGate;
  let tokens: TestServer;
  /** What the token endpoint was sent, and what it says. */
  const seen: URLSearchParams[] = [];
  let answer: { status: number; body: unknown };
  let shiftMs = 0;

  beforeAll(async () => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    [upstream, idp] = await Promise.all([startUpstream(), startSimpleSamlPhp()]);
    tokens = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen.push(new URLSearchParams(body));
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
    });
    const pair = createKeyPair();
    const acs = `${origin}/gate/uni/acs`;
    idp.know(
      `${origin}/gate/uni/metadata`,
      { acs, slo: `${origin}/gate/uni/slo` },
      { certData: certificateData(pair.certificate) },
    );
    gate = await startGate(
      {
        upstream: upstream.origin,
        providers: [
          {
            id: 'uni',
            protocol: 'saml',
            name: 'University',
            metadata: { url: idp.metadataUrl },
            keys: [{ privateKey: { env: 'SP_KEY' }, certificate: { env: 'SP_CRT' } }],
            tokenExchange: {
              tokenEndpoint: `${tokens.origin}/token`,
              clientId: 'gate',
              clientSecret: { env: 'CLIENT_SECRET' },
              scope: 'notes:read',
              header: 'X-Auth-Access-Token',
            },
          },
          corp,
        ],
        rules: [
          { paths: ['/free/**'], allow: 'anyone' },
          { paths: ['/corp/**'], allow: { provider: 'corp' } },
          { paths: ['/**'], allow: 'signed-in' },
        ],
      },
      {
        port,
        env: { SP_KEY: pair.privateKey, SP_CRT: pair.certificate },
        overrides: { now: () => new Date(Date.now() + shiftMs) },
      },
    );
  }, 120_000);

  beforeEach(() => {
    seen.length = 0;
    shiftMs = 0;
    answer = { status: 200, body: { access_token: 'token-of-alice', token_type: 'Bearer', expires_in: 600 } };
  });

  afterAll(async () => {
    for (const one of [gate, idp, tokens, upstream]) await one?.[Symbol.asyncDispose]();
  });

  const post = (body: string, headers: Record<string, string> = {}) =>
    gate.fetch('/gate/uni/acs', { method: 'POST', headers: { 'content-type': 'application/vnd.paos+xml', ...headers }, body });

  test('gets the request in an envelope, signs in and is redirected to what it requested', async () => {
    const asked = await gate.fetch('/notes/1?x=2', { headers: enhancedClient });
    expect([asked.status, asked.headers.get('content-type')]).toEqual([200, 'application/vnd.paos+xml']);
    const envelope = await asked.text();
    expect(envelope).toContain(`responseConsumerURL="${gate.origin}/gate/uni/acs"`);
    const body = await idp.carry(envelope);
    const done = await post(body);
    expect([done.status, done.headers.get('location')]).toEqual([303, '/notes/1?x=2']);
    const cookie =
      done.headers
        .getSetCookie()
        .find(line => line.startsWith('gate='))
        ?.split(';')[0] ?? '';
    expect((await gate.fetch('/notes/1?x=2', { headers: { cookie } })).status).toBe(200);
    expect(upstream.seen.at(-1)?.headers).toMatchObject({ 'x-auth-subject': 'alice@example.com', 'x-auth-issuer': idp.entityId });
    // The same answer is good once.
    expect((await post(body)).status).toBe(400);
  }, 60_000);

  test('a second sign-in replaces the session whose cookie comes along, and no other client’s', async () => {
    const start = async () => idp.carry(await (await gate.fetch('/notes/1', { headers: enhancedClient })).text());
    const finish = async (body: string, headers: Record<string, string> = {}) =>
      (await post(body, headers)).headers
        .getSetCookie()
        .find(line => line.startsWith('gate='))
        ?.split(';')[0] ?? '';
    const live = async (...cookies: string[]) =>
      Promise.all(cookies.map(async cookie => (await gate.fetch('/notes/1', { headers: { cookie } })).status));
    // Both began before the client had a cookie.
    const [one, two] = [await start(), await start()];
    const first = await finish(one);
    const second = await finish(two, { cookie: first });
    expect(await live(first, second)).toEqual([401, 200]);
    // The standard ties no other sign-in to this one (Profiles 4.2): without a cookie it may be another device of the person.
    const third = await finish(await start());
    expect(await live(second, third)).toEqual([200, 200]);
  }, 60_000);

  test('an answer with another content type is a browser’s, and is none of this kind', async () => {
    const body = await idp.carry(await (await gate.fetch('/x', { headers: enhancedClient })).text());
    for (const type of ['text/xml', 'application/x-www-form-urlencoded', 'text/plain']) {
      const refused = await post(body, { 'content-type': type });
      expect(refused.headers.getSetCookie().some(line => /^gate=[^;]/.test(line))).toBe(false);
    }
    expect((await post(body)).status).toBe(303);
  }, 60_000);

  test('refuses an answer that was changed or answers no request', async () => {
    const envelope = await (await gate.fetch('/x', { headers: enhancedClient })).text();
    const body = await idp.carry(envelope);
    const forged = await post(body.replaceAll('alice@example.com', 'admin@example.com'));
    expect(forged.status).toBe(403);
    expect(await forged.text()).toMatch(/<faultstring>SAML_[A-Z_]+: /);
    // The question is used up with it.
    expect((await post(body)).status).toBe(400);
    expect((await post('<nonsense/>')).status).toBe(403);
    const other = await idp.carry(await (await gate.fetch('/x', { headers: enhancedClient })).text());
    expect((await post(other.replace(/(<ecp:RelayState[^>]*>)[^<]+/, '$1of-another-sign-in-altogether'))).status).toBe(400);
  }, 60_000);

  test.each([
    ['a browser', '/x', { accept: 'text/html' }, 303],
    ['a program', '/x', { accept: 'application/json' }, 401],
    ['half of the headers', '/x', { accept: enhancedClient.accept, paos: 'ver="urn:liberty:paos:2003-08"' }, 303],
    ['a path for people of another provider', '/corp/x', { ...enhancedClient, accept: 'application/vnd.paos+xml' }, 401],
    ['a free path', '/free/x', enhancedClient, 200],
  ])('sends no envelope to %s', async (_name, path, headers, status) => {
    const found = await gate.fetch(path, { headers: headers as unknown as Record<string, string> });
    expect(found.status).toBe(status);
    expect(found.headers.get('content-type') ?? '').not.toContain('paos');
  });

  test('is redirected to its envelope behind a proxy', async () => {
    const asked = (uri: string, headers: Record<string, string> = enhancedClient) =>
      gate.fetch('/gate/forward', { headers: { ...headers, 'x-forwarded-uri': uri, 'x-forwarded-method': 'GET' } });
    const sent = await asked('/notes/1?x=2');
    const location = sent.headers.get('location') ?? '';
    expect([sent.status, location]).toEqual([303, `${gate.origin}/gate/sign-in?provider=uni&returnTo=%2Fnotes%2F1%3Fx%3D2`]);
    const envelope = await gate.fetch(location.slice(gate.origin.length), { headers: enhancedClient });
    expect([envelope.status, envelope.headers.get('content-type')]).toEqual([200, 'application/vnd.paos+xml']);
    const done = await post(await idp.carry(await envelope.text()));
    expect([done.status, done.headers.get('location')]).toEqual([303, '/notes/1?x=2']);
    // Nothing but the type that such a client sends: still no page for it, and no 401.
    expect((await asked('/x', { ...enhancedClient, accept: 'application/vnd.paos+xml' })).status).toBe(303);
    expect((await asked('/corp/x', { ...enhancedClient, accept: 'application/vnd.paos+xml' })).status).toBe(401);
    // The same addresses for a browser: the page, and the provider it chose.
    expect((await gate.fetch('/gate/sign-in', { headers: { accept: 'text/html' } })).headers.get('content-type')).toContain(
      'html',
    );
    const chosen = await gate.fetch('/gate/sign-in?provider=corp', { headers: enhancedClient });
    expect(chosen.headers.get('content-type')).not.toContain('paos');
  }, 60_000);

  describe('the assertion, traded for an access token (RFC 7522)', () => {
    const signIn = async () => {
      const done = await post(await idp.carry(await (await gate.fetch('/x', { headers: enhancedClient })).text()));
      return (
        done.headers
          .getSetCookie()
          .find(line => line.startsWith('gate='))
          ?.split(';')[0] ?? ''
      );
    };
    const tokenSeen = async (cookie: string) => {
      await gate.fetch('/x', { headers: { cookie, 'x-auth-access-token': 'spoofed', X_Auth_Access_Token: 'spoofed' } });
      const { rawHeaders } = upstream.seen.at(-1) as { rawHeaders: readonly string[] };
      expect(rawHeaders.join('\n')).not.toContain('spoofed');
      return upstream.seen.at(-1)?.headers['x-auth-access-token'];
    };

    test('is sent as it was signed, and only the upstream gets the token', async () => {
      const cookie = await signIn();
      expect(seen).toHaveLength(1);
      expect(Object.fromEntries(seen[0] as URLSearchParams)).toMatchObject({
        grant_type: 'urn:ietf:params:oauth:grant-type:saml2-bearer',
        scope: 'notes:read',
      });
      const assertion = Buffer.from(seen[0]?.get('assertion') ?? '', 'base64url').toString();
      expect(assertion).toMatch(/^<saml:Assertion [\s\S]*<ds:SignatureValue>[\s\S]*alice@example\.com/);
      expect(await tokenSeen(cookie)).toBe('token-of-alice');
      expect(await (await gate.fetch('/gate/me', { headers: { cookie } })).text()).not.toContain('token-of-alice');
      expect(JSON.stringify(gate.log)).not.toContain('token-of-alice');
    }, 60_000);

    test.each([
      ['a refusal', { status: 400, body: { error: 'invalid_grant' } }],
      ['something that is no answer', { status: 200, body: ['nothing'] }],
      ['a token that fits in no header', { status: 200, body: { access_token: 'a\r\nX-Evil: 1', token_type: 'Bearer' } }],
      ['a token that has run out', { status: 200, body: { access_token: 'late', token_type: 'Bearer', expires_in: 0 } }],
    ])(
      '%s leaves the person signed in, without a token',
      async (_name, told) => {
        answer = told;
        const cookie = await signIn();
        expect(cookie).not.toBe('');
        expect(await tokenSeen(cookie)).toBeUndefined();
      },
      60_000,
    );

    test('that cannot be renewed ends the session where that is set, so that the next page leads through the provider', async () => {
      const provider = (gate.input.providers as Record<string, unknown>[])[0] as { tokenExchange: object };
      const bound = { ...provider, tokenExchange: { ...provider.tokenExchange, sessionEndsWithToken: true } };
      const use = (one: object) => gate.app.reload(gate.readConfig({ providers: [one, corp] }));
      const status = async (cookie: string) => (await gate.fetch('/x', { headers: { cookie } })).status;
      await use(bound);
      const cookie = await signIn();
      shiftMs = 590_000;
      expect([await tokenSeen(cookie), await status(cookie)]).toEqual(['token-of-alice', 200]);
      shiftMs = 610_000;
      expect(await status(cookie)).toBe(401);
      // One that can be renewed ends nothing, nor does one whose end nobody knows.
      shiftMs = 0;
      for (const more of [{ expires_in: 600, refresh_token: 'r' }, {}]) {
        answer = { status: 200, body: { access_token: 'token', token_type: 'Bearer', ...more } };
        const kept = await signIn();
        shiftMs = 610_000;
        expect(await status(kept)).toBe(200);
        shiftMs = 0;
      }
      await use(provider);
      answer = { status: 200, body: { access_token: 'token', token_type: 'Bearer', expires_in: 600 } };
      const free = await signIn();
      shiftMs = 610_000;
      expect([await status(free), await tokenSeen(free)]).toEqual([200, undefined]);
    }, 60_000);

    test('that hardly lives is not asked for at every request', async () => {
      answer = { status: 200, body: { access_token: 'short', token_type: 'Bearer', expires_in: 0, refresh_token: 'r' } };
      const cookie = await signIn();
      for (let turn = 0; turn < 3; turn += 1) expect(await tokenSeen(cookie)).toBeUndefined();
      expect(seen).toHaveLength(1);
      shiftMs = 11_000;
      await tokenSeen(cookie);
      expect(seen).toHaveLength(2);
    }, 60_000);

    test('is renewed before it runs out, with the token that came along', async () => {
      const token = (name: string) => ({
        status: 200,
        body: { access_token: name, token_type: 'Bearer', expires_in: 600, refresh_token: `to renew ${name}` },
      });
      answer = token('first');
      const cookie = await signIn();
      answer = token('second');
      shiftMs = 470_000;
      expect(await tokenSeen(cookie)).toBe('first');
      shiftMs = 490_000;
      expect(await tokenSeen(cookie)).toBe('second');
      expect(Object.fromEntries(seen[1] as URLSearchParams)).toEqual({
        grant_type: 'refresh_token',
        refresh_token: 'to renew first',
        scope: 'notes:read',
      });
      // The server is away, then says no: the token is good until its end, the sign-in longer.
      answer = { status: 503, body: {} };
      shiftMs = 980_000;
      expect(await tokenSeen(cookie)).toBe('second');
      answer = { status: 400, body: { error: 'invalid_grant' } };
      shiftMs = 1_100_000;
      expect(await tokenSeen(cookie)).toBeUndefined();
      const asked = seen.length;
      shiftMs = 1_200_000;
      expect(await tokenSeen(cookie)).toBeUndefined();
      expect([seen.length, (await gate.fetch('/x', { headers: { cookie } })).status]).toEqual([asked, 200]);
      expect(JSON.stringify(gate.log)).not.toMatch(/first|second/);
    }, 60_000);
  });
});
