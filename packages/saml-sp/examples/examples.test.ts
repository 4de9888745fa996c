import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { openStore } from '@octavo/sign-in-store';
import express from 'express';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { MemoryReplayStore, PendingCookies, type ReplayStore, ServiceProvider } from '../src/index.ts';
import { testKey } from '../test/support/keys.ts';
import { type SmallIdp, startSmallIdp } from '../test/support/small-idp.ts';
import { Visitor } from '../test/support/visitor.ts';
import { createRouter } from './express.ts';
import { createApp as fastifyApp } from './fastify.ts';
import { createApp as honoApp } from './hono.ts';
import { createHandlers } from './next.ts';
import { Sessions } from './sessions.ts';

// Hono's server puts its own in their place, for all files of this worker.
beforeAll(() => void vi.stubGlobal('Request', Request).stubGlobal('Response', Response));
afterAll(() => void vi.unstubAllGlobals());

type Listener = Parameters<typeof createServer>[1];
type Make = (sp: ServiceProvider, idp: string, cookies: PendingCookies, sessions: Sessions) => Promise<Listener>;

/** The file of each example, where it is mounted, and what stands before it. */
const frameworks: [string, string, string, Make][] = [
  [
    'fastify',
    '',
    'alone',
    async (...parts) => {
      const app = fastifyApp(...parts);
      await app.ready();
      return (request, response) => app.routing(request, response);
    },
  ],
  ['express', '', 'alone', async (...parts) => express().use(createRouter(...parts)) as never],
  [
    'express',
    '/auth',
    'mounted, behind a parser of forms',
    async (...parts) =>
      express()
        .use(express.urlencoded({ extended: true, limit: '1mb' }))
        .use('/auth', createRouter(...parts)) as never,
  ],
  [
    'express',
    '/auth',
    'mounted, behind a parser of texts',
    async (...parts) =>
      express()
        .use(express.text({ type: '*/*', limit: '1mb' }))
        .use('/auth', createRouter(...parts)) as never,
  ],
  ['hono', '', 'alone', async (...parts) => getRequestListener(honoApp(...parts).fetch) as never],
  [
    'hono',
    '/auth',
    'mounted, behind a middleware that reads forms',
    async (...parts) => {
      const outer = new Hono();
      outer.use(async (c, next) => {
        if (c.req.method === 'POST') await c.req.parseBody();
        await next();
      });
      return getRequestListener(outer.route('/auth', honoApp(...parts)).fetch) as never;
    },
  ],
  [
    'next',
    '',
    'as route handlers',
    async (...parts) => {
      const { metadata, signIn, acs } = createHandlers(...parts);
      return getRequestListener(request => {
        const { pathname } = new URL(request.url);
        return pathname === '/sign-in' ? signIn(request) : pathname === '/saml/acs' ? acs(request) : metadata();
      }) as never;
    },
  ],
];

/** An application on a free port, whose address the service provider must know before it is made. */
async function serveExample(make: Make, mount: string, idp: SmallIdp, replayStore: ReplayStore = new MemoryReplayStore()) {
  const server = createServer();
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}${mount}`;
  const key = { privateKey: testKey('sp').privateKey, certificate: testKey('sp').certificate };
  const sp = new ServiceProvider({
    entityId: `${origin}/saml/metadata`,
    assertionConsumerServiceUrl: `${origin}/saml/acs`,
    signingKeys: [key],
    decryptionKeys: [key],
    identityProviders: [idp.known()],
    replayStore,
  });
  const sessions = new Sessions(await openStore('sqlite::memory:'));
  const cookies = new PendingCookies({ keys: ['a secret of thirty-two characters'], secure: false });
  server.on('request', (await make(sp, idp.entityId, cookies, sessions)) as never);
  const stop = () => new Promise<void>(done => server.close(() => done()) && server.closeAllConnections());
  return { origin, sessions, [Symbol.asyncDispose]: stop };
}

describe.each(frameworks)('the example for %s%s, %s, runs', (name, mount, _how, make) => {
  const begin = async (visitor: Visitor, origin: string, returnTo = '/notes') =>
    await (await visitor.visit(`${origin}/sign-in?returnTo=${encodeURIComponent(returnTo)}`)).text();

  test('a whole sign-in, and the answer works once', async () => {
    await using idp = await startSmallIdp();
    await using app = await serveExample(make, mount, idp);
    const alice = new Visitor();
    const page = await begin(alice, app.origin);
    const signedIn = await alice.submit(page);
    expect(await signedIn.json()).toEqual({ issuer: idp.entityId, nameId: 'alice', returnTo: '/notes' });
    const session = signedIn.headers.getSetCookie().find(line => line.startsWith('__Host-session='));
    expect(await app.sessions.find(session)).toMatchObject({ issuer: idp.entityId, nameId: { value: 'alice' } });
    const again = await alice.submit(page);
    expect([again.status, await again.json()]).toEqual([403, { error: 'SAML_UNSOLICITED' }]);
  });

  test('two tabs at once both succeed, in either order', async () => {
    await using idp = await startSmallIdp();
    await using app = await serveExample(make, mount, idp);
    const alice = new Visitor();
    const [first, second] = [await begin(alice, app.origin, '/one'), await begin(alice, app.origin, '/two')];
    expect(await (await alice.submit(second)).json()).toMatchObject({ nameId: 'alice', returnTo: '/two' });
    expect(await (await alice.submit(first)).json()).toMatchObject({ nameId: 'alice', returnTo: '/one' });
  });

  test('sign-ins that nobody finishes leave five cookies in the browser and nothing on the server', async () => {
    await using idp = await startSmallIdp();
    await using app = await serveExample(make, mount, idp);
    const alice = new Visitor();
    for (let turn = 0; turn < 12; turn += 1) await alice.open(`${app.origin}/sign-in`);
    expect(alice.cookieCount(app.origin)).toBe(5);
    expect(await (await alice.submit(await begin(alice, app.origin))).json()).toMatchObject({ nameId: 'alice' });
  });

  test('an answer in another browser signs nobody in (login CSRF)', async () => {
    await using idp = await startSmallIdp();
    await using app = await serveExample(make, mount, idp);
    const page = await begin(new Visitor(), app.origin);
    const refused = await new Visitor().submit(page);
    expect([refused.status, await refused.json()]).toEqual([403, { error: 'SAML_UNSOLICITED' }]);
  });

  test('a store that is down is 503, not 403', async () => {
    await using idp = await startSmallIdp();
    const store = {
      claim: () => Promise.reject(new Error('connection refused')),
      release: () => {},
    };
    await using app = await serveExample(make, mount, idp, store);
    const alice = new Visitor();
    const answer = await alice.submit(await begin(alice, app.origin));
    expect([answer.status, await answer.json()]).toEqual([503, { error: 'SAML_STORE_UNAVAILABLE' }]);
  });

  test('a parameter that is there twice is refused, no matter who read the form', async () => {
    await using idp = await startSmallIdp();
    await using app = await serveExample(make, mount, idp);
    const alice = new Visitor();
    const answer = await alice.submit(await begin(alice, app.origin), fields => fields.append('SAMLResponse', 'x'));
    expect([answer.status, await answer.json()]).toEqual([400, { error: 'SAML_PARAMETER' }]);
  });

  test('returnTo leads to no other site', async () => {
    await using idp = await startSmallIdp();
    await using app = await serveExample(make, mount, idp);
    const answer = await fetch(`${app.origin}/sign-in?returnTo=//evil.example`, { redirect: 'manual' }).catch(() => undefined);
    expect(answer?.status).toBe(400);
    expect(answer?.headers.get('location')).toBeNull();
  });

  test('encrypted, and misbehaving', async () => {
    await using idp = await startSmallIdp();
    await using app = await serveExample(make, mount, idp);
    const attempt = async () => {
      const visitor = new Visitor();
      return (await (await visitor.submit(await begin(visitor, app.origin))).json()) as Record<string, string>;
    };
    idp.misbehave = { encrypt: {} };
    expect(await attempt()).toMatchObject({ nameId: 'alice' });
    idp.misbehave = { signAssertion: { key: 'attacker' }, signResponse: { key: 'attacker' } };
    expect(await attempt()).toEqual({ error: 'SAML_SIGNATURE_INVALID' });
    idp.misbehave = { assertion: xml => xml.replace(/<saml:Audience>[^<]*/, '<saml:Audience>https://other.example') };
    expect(await attempt()).toEqual({ error: 'SAML_AUDIENCE' });
  });

  test('metadata is served', async () => {
    await using idp = await startSmallIdp();
    await using app = await serveExample(make, mount, idp);
    const response = await fetch(`${app.origin}/saml/metadata`);
    expect(response.headers.get('content-type')).toContain('application/samlmetadata+xml');
    expect(await response.text()).toContain(`Location="${app.origin}/saml/acs"`);
  });

  test('the README shows exactly this code', async () => {
    const code = await readFile(new URL(`./${name}.ts`, import.meta.url), 'utf8');
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
    const published = code.replace(/'\.\.\/src\/(\w+)\.ts'/g, (_, file: string) =>
      file === 'index' ? "'@octavo/saml-sp'" : `'@octavo/saml-sp/${file}'`,
    );
    expect(readme).toContain(`\`\`\`ts\n${published}\`\`\``);
  });
});

test('the README shows the sessions as they are', async () => {
  const code = await readFile(new URL('./sessions.ts', import.meta.url), 'utf8');
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${code.replace("'../src/index.ts'", "'@octavo/saml-sp'")}\`\`\``);
});

test('a logout ends the sessions that it names, and one that is stored after it', async () => {
  const store = await openStore('sqlite::memory:');
  const sessions = new Sessions(store);
  const nameId = { value: 'alice', format: undefined, nameQualifier: undefined, spNameQualifier: undefined };
  // The provider asked for the password an hour ago and has remembered it since.
  const instant = new Date(Date.now() - 3_600_000);
  const identity = (sessionIndex: string, issuedAt = new Date()) =>
    ({ issuer: 'https://idp.example', nameId, attributes: [], authentication: { instant, sessionIndex }, issuedAt }) as never;
  const [[one = ''], [two = '']] = [await sessions.create(identity('1')), await sessions.create(identity('2'))];
  await sessions.end('https://idp.example', nameId as never, ['1'], new Date());
  expect([await sessions.find(one), (await sessions.find(two))?.nameId?.value]).toEqual([undefined, 'alice']);
  expect(await sessions.create(identity('1'))).toEqual([]);
  await sessions.end('https://idp.example', nameId as never, [], new Date());
  expect(await sessions.find(two)).toBeUndefined();
  expect(await sessions.create(identity('3', new Date(Date.now() - 1000)))).toEqual([]);
  const [back = ''] = await sessions.create(identity('3', new Date(Date.now() + 1000)));
  expect((await sessions.find(back))?.nameId?.value).toBe('alice');
  await store.close();
  await expect(sessions.create(identity('3'))).rejects.toMatchObject({ code: 'SAML_STORE_UNAVAILABLE', status: 503 });
});
