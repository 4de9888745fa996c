import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDocument } from '../support/fronts.ts';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { freePort, serve, type TestServer } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// Traefik is in no Debian release: what its documentation says of ForwardAuth and of headers, done by hand with the settings of docs/gate/traefik.yaml.

const settings = readDocument('traefik.yaml');
/** What stands indented below this line. */
function below(line: RegExp): string {
  const [, indent = '', rest = ''] = new RegExp(`^( *)${line.source}\\n([\\s\\S]*)`, 'm').exec(settings) ?? [];
  const lines = rest.split('\n');
  const end = lines.findIndex(one => one.trim() !== '' && !one.startsWith(`${indent} `));
  return lines.slice(0, end === -1 ? undefined : end).join('\n');
}
const copied = [...below(/authResponseHeaders:/).matchAll(/- (\S+)/g)].map(match => (match[1] ?? '').toLowerCase());
const removed = [...below(/customRequestHeaders:/).matchAll(/^ *(\S+): ""$/gm)].map(match => (match[1] ?? '').toLowerCase());
const gatePath = /address: http:\/\/127\.0\.0\.1:4180(\S+)/.exec(settings)?.[1] ?? '';
const closed = [...settings.matchAll(/Path\(`(\/[^`]+)`\)/g)].map(match => match[1]);

let upstream: Upstream;
let gate: TestGate;
let traefik: TestServer;

beforeAll(async () => {
  upstream = await startUpstream();
  const port = await freePort();
  traefik = await serve(async (request, response) => {
    const url = request.url ?? '/';
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers))
      if (!removed.includes(name) && !['connection', 'host'].includes(name)) headers.set(name, String(value));
    // trustForwardHeader: false
    for (const name of [...headers.keys()]) if (name.startsWith('x-forwarded-')) headers.delete(name);
    headers.set('x-forwarded-for', '203.0.113.7');
    headers.set('x-forwarded-host', request.headers.host ?? '');
    headers.set('x-forwarded-proto', 'http');
    const send = async (to: string, more: Headers) => {
      const answer = await fetch(to, { method: request.method ?? 'GET', headers: more, redirect: 'manual' });
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    };
    if (closed.includes(url)) return void response.writeHead(403).end();
    if (url.startsWith('/gate/')) return send(`http://127.0.0.1:${port}${url}`, headers);
    const asked = new Headers(headers);
    asked.set('x-forwarded-method', request.method ?? 'GET');
    asked.set('x-forwarded-uri', url);
    const verdict = await fetch(`http://127.0.0.1:${port}${gatePath}`, { headers: asked, redirect: 'manual' });
    if (!verdict.ok)
      return void response.writeHead(verdict.status, Object.fromEntries(verdict.headers)).end(await verdict.text());
    for (const name of copied) {
      headers.delete(name);
      const value = verdict.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    await send(`${upstream.origin}${url}`, headers);
  });
  gate = await startGate(
    {
      publicUrl: traefik.origin,
      providers: [corp],
      rules: [
        { paths: ['/public/**'], allow: 'anyone' },
        { paths: ['/admin/**'], allow: { provider: 'corp', groups: ['admin'] } },
        { paths: ['/**'], allow: 'signed-in' },
      ],
    },
    { port },
  );
});

afterAll(async () => {
  for (const one of [traefik, gate, upstream]) await one?.[Symbol.asyncDispose]();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${traefik.origin}${path}`, { redirect: 'manual', headers });

test('the settings use the options of Traefik alone, each by its name', () => {
  // As in the reference of Traefik 3.6 for dynamic configuration files (reference/routing-configuration/other-providers/file.yaml).
  const options: Record<string, string[]> = {
    'http:': ['routers', 'services', 'middlewares'],
    'routers: *': ['rule', 'priority', 'service', 'middlewares', 'tls'],
    'middlewares: *': ['headers', 'forwardAuth', 'ipAllowList'],
    'middlewares: * headers:': ['customRequestHeaders'],
    'middlewares: * forwardAuth:': ['address', 'trustForwardHeader', 'authResponseHeaders'],
    'middlewares: * ipAllowList:': ['sourceRange'],
    'services: *': ['loadBalancer'],
    'services: * loadBalancer:': ['servers'],
  };
  /** The keys above each line, by depth; names that we chose are `*`. */
  const above: string[] = [];
  const used: Record<string, Set<string>> = {};
  for (const [, indent = '', key = ''] of settings.matchAll(/^( *)([\w.-]+):/gm)) {
    const depth = indent.length / 2;
    above.length = depth;
    const place = above.slice(Math.min(depth, 1)).join(' ') || above.join(' ');
    above.push(depth === 2 ? '*' : `${key}:`);
    if (depth === 0 || depth === 2 || place.endsWith('customRequestHeaders:')) continue;
    used[place] = (used[place] ?? new Set()).add(key);
  }
  expect(Object.keys(used).sort()).toEqual(Object.keys(options).sort());
  for (const [place, keys] of Object.entries(used)) for (const key of keys) expect(options[place], place).toContain(key);
  expect(settings).toContain('servers: [{ url: "');
});

test('the settings name every identity header, and every other spelling of it', () => {
  const names = ['subject', 'issuer', 'email', 'name', 'groups'];
  expect(copied).toEqual(names.map(name => `x-auth-${name}`));
  // PHP turns a dot into an underscore, too.
  const signs = ['_', '-', '.'];
  const spellings = (name: string) => signs.flatMap(one => signs.map(other => `x${one}auth${other}${name}`));
  const [aliases, others] = [removed.filter(name => /^x.auth/.test(name)), removed.filter(name => !/^x.auth/.test(name))];
  const overriding = ['x-http-method-override', 'x-http-method', 'x-method-override', 'x-rewrite-url'];
  overriding.push('x-original-url', 'x-original-uri', 'x-original-method', 'x-override-url', 'x-forwarded-prefix');
  // What describes the request, beside the names under which Traefik does so itself.
  overriding.push('forwarded', 'x-forwarded-uri', 'x-forwarded-method');
  const own = ['x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-for'];
  const everyWay = (name: string) =>
    name
      .split('-')
      .reduce<string[]>(
        (all, part) => (all.length === 0 ? [part] : all.flatMap(one => signs.map(sign => one + sign + part))),
        [],
      );
  const described = own.flatMap(everyWay).filter(name => !own.includes(name));
  expect(others.sort()).toEqual([...overriding.flatMap(everyWay), ...described].sort());
  expect(aliases.sort()).toEqual(
    names
      .flatMap(spellings)
      .filter(name => !copied.includes(name))
      .sort(),
  );
  expect(closed).toEqual(['/gate/check', '/gate/forward', '/gate/metrics']);
});

test('redirects a person to the sign-in page, and answers 401 to a program', async () => {
  const page = await get('/private?a=1', { accept: 'text/html' });
  expect([page.status, page.headers.get('location')]).toEqual([
    303,
    `${traefik.origin}/gate/sign-in?returnTo=%2Fprivate%3Fa%3D1`,
  ]);
  expect((await get('/private', { accept: 'application/json' })).status).toBe(401);
  expect((await get('/gate/sign-in?notice=over', { accept: 'text/html' })).status).toBe(200);
});

test('lets a signed-in person through with their own identity only', async () => {
  const spoofed = Object.fromEntries([...copied, ...removed].map(name => [name, 'evil']));
  const cookie = await sessionCookie(gate);
  expect((await get('/private', { cookie, ...spoofed })).status).toBe(200);
  expect(upstream.seen.at(-1)?.headers).toMatchObject({ 'x-auth-subject': 'ada', 'x-auth-groups': 'staff' });
  expect(upstream.seen.at(-1)?.rawHeaders).not.toContain('evil');
  expect((await get('/public/x', spoofed)).status).toBe(200);
  expect(upstream.seen.at(-1)?.rawHeaders).not.toContain('evil');
  expect((await get('/admin/x', { cookie, accept: 'text/html' })).status).toBe(403);
});

test("ignores a client's forwarded headers, and closes what only Traefik may ask", async () => {
  const headers = { 'x-forwarded-uri': '/public/x', 'x-original-uri': '/public/x', 'x-forwarded-method': 'GET' };
  expect((await get('/private', headers)).status).toBe(401);
  for (const path of closed) expect((await get(path ?? '', headers)).status).toBe(403);
});
