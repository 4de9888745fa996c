import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import formBody from '@fastify/formbody';
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createApp as createExpressApp, createRouter } from '../examples/express.ts';
import { createApp as createFastifyApp } from '../examples/fastify.ts';
import { createApp as createHonoApp } from '../examples/hono.ts';
import { createRoutes } from '../examples/next.ts';
import type { Sessions } from '../examples/sessions.ts';
import { BrowserSignIn, PendingCookies, type RelyingParty, type RelyingPartyOptions } from '../src/index.ts';
import { type NextApiRequest, readRequest, sendResponse } from '../src/next.ts';
import { FakeOp } from './support/fake-op.ts';
import { serve } from './support/http-server.ts';
import { openSessions } from './support/sessions.ts';

// Hono's server puts its own in their place, for all files of this worker.
beforeAll(() => void vi.stubGlobal('Request', Request).stubGlobal('Response', Response));
afterAll(() => void vi.unstubAllGlobals());

type Make = (rp: RelyingParty, cookies: PendingCookies, sessions: Sessions) => Promise<RequestListener>;

const nextListener = (routes: ReturnType<typeof createRoutes>): RequestListener =>
  // As Next calls a route handler: with a Request, by path and method.
  getRequestListener(async request => {
    const route = routes[new URL(request.url).pathname] as Record<string, (request: Request) => Promise<Response>> | undefined;
    return (await route?.[request.method]?.(request)) ?? new Response('not here', { status: 404 });
  });

/** Next's `pages/api`, as the documentation of the adapter has it: Node's request with `body`, Node's response. */
function pagesListener(...[rp, cookies, sessions]: Parameters<Make>): RequestListener {
  const signIn = new BrowserSignIn({ relyingParty: rp, cookies, createSession: done => sessions.create(done) });
  const pages: Record<string, (request: NextApiRequest) => Promise<Response>> = {
    '/api/sign-in': request => signIn.start(request.headers.cookie),
    '/api/callback': async request => signIn.finish(await readRequest(request), request.headers.cookie),
    '/api/backchannel-logout': async request =>
      rp.answerBackChannelLogout(await readRequest(request), logout => sessions.end(logout)),
    '/api': async request => Response.json({ signedIn: (await sessions.find(request.headers.cookie))?.identity ?? null }),
  };
  return async (request, response) => {
    const sent = await text(request);
    const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded');
    const body = isForm ? Object.fromEntries(new URLSearchParams(sent)) : sent;
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    await sendResponse(response, await pages[pathname]!(Object.assign(request, { body })));
  };
}

const examples: Record<string, Make> = {
  fastify: async (rp, cookies, sessions) => {
    const app = createFastifyApp(rp, cookies, sessions);
    await app.ready();
    return app.routing;
  },
  express: async (rp, cookies, sessions) => createExpressApp(rp, cookies, sessions),
  hono: async (rp, cookies, sessions) => getRequestListener(createHonoApp(rp, cookies, sessions).fetch),
  next: async (rp, cookies, sessions) => nextListener(createRoutes(rp, cookies, sessions)),
};

/** The same applications as their owners run them: under a prefix, behind a parser that has read every body. */
const grown: Record<string, { prefix: string; make: Make }> = {
  'express, mounted, behind parsers of everything': {
    prefix: '/auth/v1',
    make: async (rp, cookies, sessions) =>
      express()
        .use(express.urlencoded({ extended: true }), express.json(), express.text())
        .use('/auth/v1', createRouter(rp, cookies, sessions)),
  },
  'express, behind a parser of JSON alone': {
    prefix: '/auth',
    make: async (rp, cookies, sessions) =>
      express()
        .use(express.json())
        .use('/auth', createRouter(rp, cookies, sessions)),
  },
  'fastify, with a form parser of its own': {
    prefix: '',
    make: async (rp, cookies, sessions) => {
      const app = createFastifyApp(rp, cookies, sessions);
      app.removeContentTypeParser('application/x-www-form-urlencoded');
      await app.register(formBody);
      await app.ready();
      return app.routing;
    },
  },
  'hono, mounted, behind a middleware that has read the body': {
    prefix: '/auth',
    make: async (rp, cookies, sessions) => {
      const app = new Hono();
      app.use(async (context, next) => {
        if (context.req.method === 'POST') await context.req.parseBody();
        await next();
      });
      return getRequestListener(app.route('/auth', createHonoApp(rp, cookies, sessions)).fetch);
    },
  },
  'next, pages/api, whose parser has read every body': { prefix: '/api', make: async (...parts) => pagesListener(...parts) },
};

const cookies = () => new PendingCookies({ keys: [crypto.getRandomValues(new Uint8Array(32))] });

/** A browser as far as cookies go. */
class Tab {
  readonly jar: Map<string, string>;
  readonly #origin: string;

  constructor(origin: string, jar = new Map<string, string>()) {
    this.#origin = origin;
    this.jar = jar;
  }

  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(this.#origin + path, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (/Max-Age=0\b/.test(line)) this.jar.delete(name!);
      else this.jar.set(name!, value!);
    }
    return response;
  }
}

async function running(make: Make, options: Partial<RelyingPartyOptions> = {}, prefix = '') {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ redirectUri: `https://rp.example${prefix}/callback`, now: () => new Date(), ...options });
  op.nowMs = Date.now();
  const server = await serve(await make(rp, cookies(), await openSessions()));
  const start = async (tab: Tab) => {
    const response = await tab.send(`${prefix}/sign-in`);
    const callback = new URL(op.authorize(new URL(response.headers.get('location')!)));
    return { response, path: callback.pathname + callback.search, form: callback.search.slice(1) };
  };
  const who = async (tab: Tab) => (await (await tab.send(prefix === '' ? '/' : prefix)).json()).signedIn;
  return { op, rp, server, start, who, tab: () => new Tab(server.origin), [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
}

const person = { issuer: 'https://op.example', subject: 'sub-1' };

describe.each(Object.keys(examples))('the example for %s', name => {
  const make = examples[name]!;

  test('signs a person in once, and only with the cookie from the start', async () => {
    await using app = await running(make);
    const tab = app.tab();
    const { response, path } = await app.start(tab);
    const [cookie] = response.headers.getSetCookie();
    for (const word of [/^__Host-oidc-/, /; Secure/, /; HttpOnly/, /; SameSite=Lax/, /; Path=\//, /Max-Age=(599|600)/])
      expect(cookie).toMatch(word);

    const stranger = await app.tab().send(path);
    expect([stranger.status, (await stranger.json()).code]).toEqual([400, 'OIDC_CALLBACK_STATE']);
    const kept = new Map(tab.jar);
    const back = await tab.send(path);
    expect([back.status, back.headers.get('location'), back.headers.get('cache-control')]).toEqual([303, '/', 'no-store']);
    expect(await app.who(tab)).toEqual(person);
    expect(await app.who(app.tab())).toBeNull();
    expect([...tab.jar.keys()]).toEqual(['__Host-session']);

    const again = await new Tab(app.server.origin, kept).send(path);
    expect([again.status, (await again.json()).code]).toEqual([400, 'OIDC_PENDING_USED']);
  });

  test('signs in two tabs at once, in either order', async () => {
    await using app = await running(make);
    const tab = app.tab();
    const one = await app.start(tab);
    const two = await app.start(tab);
    expect((await tab.send(two.path)).status).toBe(303);
    expect((await tab.send(one.path)).status).toBe(303);
    expect(await app.who(tab)).toEqual(person);
  });

  test('keeps a pending sign-in when a foreign link opens the callback', async () => {
    await using app = await running(make);
    const tab = app.tab();
    const { path } = await app.start(tab);
    for (const foreign of ['/callback', '/callback?code=x&state=y', '/callback?error=access_denied&state=y'])
      expect((await tab.send(foreign)).status).toBe(400);
    expect((await tab.send(path)).status).toBe(303);
  });

  test("accepts the callback as a form from the provider's page", async () => {
    await using app = await running(make, { responseMode: 'form_post' });
    const tab = app.tab();
    const { response, form } = await app.start(tab);
    expect(response.headers.getSetCookie()[0]).toMatch(/; SameSite=None/);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await tab.send('/callback', { method: 'POST', body: form, headers })).status).toBe(303);
    expect(await app.who(tab)).toEqual(person);
  });

  test('ends the session on back-channel logout; answers 400 to a bad one and 503 while the store is down', async () => {
    await using app = await running(make);
    const tab = app.tab();
    await tab.send((await app.start(tab)).path);
    const post = async (token: string) =>
      fetch(`${app.server.origin}/backchannel-logout`, { method: 'POST', body: new URLSearchParams({ logout_token: token }) });
    const wrong = await post('nonsense');
    expect([wrong.status, wrong.headers.get('cache-control'), await wrong.json()]).toEqual([
      400,
      'no-store',
      { error: 'invalid_request', error_description: 'OIDC_JWT_MALFORMED' },
    ]);
    expect(await app.who(tab)).toEqual(person);
    expect((await post(await app.op.logoutToken())).status).toBe(200);
    expect(await app.who(tab)).toBeNull();

    const down = { claim: () => Promise.reject(new Error('down')), release: () => undefined };
    await using other = await running(make, { replayStore: down });
    const second = other.tab();
    const answer = await second.send((await other.start(second)).path);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    const body = new URLSearchParams({ logout_token: await other.op.logoutToken() });
    expect((await fetch(`${other.server.origin}/backchannel-logout`, { method: 'POST', body })).status).toBe(503);
  });

  test('keeps no memory for unfinished sign-ins, and only a few per browser', async () => {
    await using app = await running(make);
    const tab = app.tab();
    let last = await app.start(tab);
    for (let at = 0; at < 20; at += 1) last = await app.start(tab);
    expect(tab.jar.size).toBeLessThanOrEqual(5);
    expect([...tab.jar].join().length).toBeLessThan(8_000);
    expect((await tab.send(last.path)).status).toBe(303);
  });
});

test.each(Object.keys(grown))('%s: reads the address and the form unchanged', async name => {
  const { prefix, make } = grown[name]!;
  for (const responseMode of ['query', 'form_post'] as const) {
    await using app = await running(make, { responseMode }, prefix);
    const tab = app.tab();
    const { path, form } = await app.start(tab);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const back =
      responseMode === 'query' ? tab.send(path) : tab.send(`${prefix}/callback`, { method: 'POST', body: form, headers });
    expect([(await back).status, await app.who(tab)]).toEqual([303, person]);
    const body = new URLSearchParams({ logout_token: await app.op.logoutToken() });
    expect((await fetch(`${app.server.origin}${prefix}/backchannel-logout`, { method: 'POST', body })).status).toBe(200);
  }
});

test('reports a session that cannot be stored as an outage, not as a refusal', async () => {
  const op = await FakeOp.start();
  const rp = op.relyingParty({ now: () => new Date() });
  op.nowMs = Date.now();
  const failures: unknown[] = [];
  const createSession = () => Promise.reject(new Error('the database sleeps'));
  const signIn = new BrowserSignIn({
    relyingParty: rp,
    cookies: cookies(),
    createSession,
    onError: error => void failures.push(error),
  });
  const started = await signIn.start(null);
  const cookie = started.headers.getSetCookie()[0]!.split(';')[0]!;
  const answer = await signIn.finish(new Request(op.authorize(new URL(started.headers.get('location')!))), cookie);
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { code: 'OIDC_STORE_UNAVAILABLE', message: 'Sign-in is not possible at the moment. Please try again.' },
  ]);
  expect(failures).toMatchObject([{ cause: { message: 'the database sleeps' } }]);
});

const shown = [...Object.keys(examples), 'sessions', 'setup', 'session-life', 'providers', 'services', 'native'];

test.each(shown)('the README shows the example for %s unchanged', name => {
  const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  const code = read(`examples/${name}.ts`)
    .replaceAll("'../src/index.ts'", "'@octavo/oidc-rp'")
    .replaceAll(/'\.\.\/src\/(\w+)\.ts'/g, "'@octavo/oidc-rp/$1'");
  expect(read('README.md')).toContain(`\`\`\`ts\n${code}\`\`\``);
});

test('all code in the README comes from the examples', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  expect(readme.match(/^```ts$/gm)).toHaveLength(shown.length);
});
