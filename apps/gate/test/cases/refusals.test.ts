import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type SignInStore, StoreError } from '@octavo/sign-in-store';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { serve } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { shownOn } from '../support/shown.ts';

// Whole answers of the gate: what a person reads, what a program gets, and every header that goes along.

const page = { accept: 'text/html' };
/** The headers of each answer that no cache may keep, no page may frame, and no browser may read as something else. */
const closed = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};
let gate: TestGate;
let folder: string;
let real: SignInStore | undefined;
let isStoreDown = false;
/** What the store throws in place of an answer. */
let fault: Error | undefined;
let origin: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'octavo-gate-refusals-'));
  const file = `sqlite:${join(folder, 'gate.db')}`;
  real = await openStore(file);
  const kept = real;
  const requireUp = () => {
    if (fault !== undefined) throw fault;
    if (isStoreDown) throw new StoreError('STORE_UNAVAILABLE');
  };
  const store: SignInStore = {
    ...kept,
    ping: async () => requireUp(),
    findSession: async id => {
      requireUp();
      return kept.findSession(id);
    },
    recallSession: () => undefined,
  };
  const uni = { id: 'uni', protocol: 'saml', name: 'University', metadata: { file: '/nowhere.xml' } };
  gate = await startGate(
    {
      providers: [corp, { ...corp, id: 'lab', name: 'Lab', issuer: 'https://lab.example' }, uni],
      rules: [
        { paths: ['/free/**'], allow: 'anyone' },
        { paths: ['/closed'], allow: 'nobody' },
        { paths: ['/lab'], allow: { provider: 'lab' } },
        { paths: ['/board'], allow: { provider: 'corp', groups: ['board'] } },
        { paths: ['/**'], allow: 'signed-in' },
      ],
    },
    { store: file, overrides: { store } },
  );
  origin = gate.origin;
});

beforeEach(() => {
  isStoreDown = false;
  fault = undefined;
  gate.log.length = 0;
});

afterAll(async () => {
  await gate?.[Symbol.asyncDispose]();
  await real?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Without what changes from one answer to the next. */
const headersOf = (answer: Response) => {
  const { date: _, connection: __, 'keep-alive': ___, ...rest } = Object.fromEntries(answer.headers);
  return rest;
};
const lengthOf = (text: string) => String(Buffer.byteLength(text));

describe('a program that is refused', () => {
  test('is known by its method, whatever it would like to read', async () => {
    const answer = await gate.fetch('/x', { method: 'DELETE', headers: page });
    expect([answer.status, (await answer.json()).error]).toEqual([401, 'SIGN_IN_REQUIRED']);
  });

  test.each([
    [
      '/x',
      401,
      { error: 'SIGN_IN_REQUIRED', message: 'You need to sign in to open this address.', signIn: '/gate/sign-in' },
      { 'www-authenticate': 'Cookie realm="gate"' },
    ],
    [
      '/gate/me',
      401,
      { error: 'SIGN_IN_REQUIRED', message: 'You need to sign in to open this address.', signIn: '/gate/sign-in' },
      { 'www-authenticate': 'Cookie realm="gate"' },
    ],
    ['/free/x', 404, { error: 'NOT_FOUND', message: 'There is no application behind this gate.' }, {}],
    ['/gate', 404, { error: 'NOT_FOUND', message: 'The gate has no page at this address.' }, {}],
    ['/gate/uni/callback', 404, { error: 'NOT_FOUND', message: 'The gate has no page at this address.' }, {}],
    ['/gate/corp/metadata', 404, { error: 'NOT_FOUND', message: 'The gate has no page at this address.' }, {}],
    ['/gate/nobody/callback', 404, { error: 'NOT_FOUND', message: 'The gate has no page at this address.' }, {}],
    ['/gate/corp/constructor', 404, { error: 'NOT_FOUND', message: 'The gate has no page at this address.' }, {}],
    ['/gate/oidc/auth', 404, { error: 'NOT_FOUND', message: 'The gate has no page at this address.' }, {}],
    ['/gate/jwks.json', 404, { error: 'NOT_FOUND', message: 'The gate has no page at this address.' }, {}],
    ['/gate/corp/slo', 404, { error: 'NOT_FOUND', message: 'The gate has no page at this address.' }, {}],
    ['/gate/uni/frontchannel-logout', 404, { error: 'NOT_FOUND', message: 'The gate has no page at this address.' }, {}],
    ['/gate/corp/acs', 405, { error: 'METHOD', message: 'Use POST.' }, { allow: 'POST' }],
    ['/a%2Fb', 400, { error: 'ADDRESS_REFUSED', message: 'the path contains an encoded slash' }, {}],
  ])('at %s gets %i %j', async (path, status, body, headers) => {
    const answer = await gate.fetch(path);
    const text = await answer.text();
    const said = 'signIn' in body ? { ...body, signIn: `${origin}${body.signIn}` } : body;
    expect([answer.status, JSON.parse(text)]).toEqual([status, said]);
    expect(text.endsWith('}\n')).toBe(true);
    expect(headersOf(answer)).toEqual({
      ...closed,
      'content-type': 'application/json',
      'content-length': lengthOf(text),
      ...headers,
    });
  });

  test.each([
    ['/gate/sign-in', 'GET, HEAD, POST'],
    ['/gate/sign-out', 'GET, HEAD, POST'],
    ...['check', 'forward', 'signed-out', 'resume', 'me', 'healthz', 'readyz', 'metrics', 'jwks.json', 'assets/gate.css'].map(
      name => [`/gate/${name}`, 'GET, HEAD'],
    ),
    ['/gate/corp/callback', 'GET, POST'],
    ['/gate/uni/acs', 'POST'],
    ['/gate/uni/slo', 'GET, POST'],
    ['/gate/uni/metadata', 'GET, HEAD'],
    ['/gate/corp/backchannel-logout', 'POST'],
    ['/gate/corp/frontchannel-logout', 'GET'],
  ])('by its method at %s hears of %s', async (path, allow) => {
    const answer = await gate.fetch(path, { method: 'DELETE' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(await answer.json()).toEqual({ error: 'METHOD', message: `Use ${allow.split(', ').join(' or ')}.` });
  });

  test('because it may not hears the reference, too, and nothing of why', async () => {
    const answer = await gate.fetch('/closed');
    const reference = gate.log.find(line => line.audit === 'refused')?.reference;
    expect(reference).toMatch(/^[0-9a-f]{8}$/);
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { error: 'FORBIDDEN', message: 'No one has access to this address.', reference },
    ]);
    expect(answer.headers.get('www-authenticate')).toBeNull();
    expect(gate.log).toEqual([
      {
        time: expect.any(String),
        level: 'info',
        audit: 'refused',
        reference,
        why: 'nobody',
        rule: 2,
        method: 'GET',
        client: '127.0.0.1',
      },
    ]);
  });
});

describe('a person who is refused', () => {
  const policy =
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

  test.each([
    ['/gate/me', 401, ['Sign in to continue', 'You need to sign in to open this address.', 'SIGN_IN_REQUIRED']],
    ['/gate/nothing', 404, ['Page not found', 'The gate has no page at this address.', 'Go to the start page -> /', 'NOT_FOUND']],
    [
      '/free/x',
      404,
      [
        'Page not found',
        'The gate has no page at this address.',
        'There is no application behind this gate.',
        'Go to the start page -> /',
        'NOT_FOUND',
      ],
    ],
    [
      '/a%2Fb',
      400,
      [
        'This address is ambiguous',
        'Servers can read this address in different ways, so we refuse it.',
        'The path contains an encoded slash.',
        'Go to the start page -> /',
        'ADDRESS_REFUSED',
      ],
    ],
  ])('at %s reads %i %j', async (path, status, lines) => {
    const answer = await gate.fetch(path, { headers: page });
    const html = await answer.text();
    expect([answer.status, shownOn(html)]).toEqual([status, [new URL(origin).host, ...lines]]);
    expect(headersOf(answer)).toMatchObject({
      ...closed,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
    });
  });

  const noOne = 'No one has access to this address.';
  const advice = 'Sign in with another account, or ask the site’s administrator for access.';

  test.each([
    ['where nobody may', '/closed', undefined, [noOne]],
    ['where nobody may, signed in', '/closed', {}, [noOne, 'Sign out -> /gate/sign-out']],
    [
      'among the people',
      '/board',
      {},
      [
        'Your account doesn’t have access to this address.',
        `You are signed in as ada@example.org. ${advice}`,
        'Sign in with another account -> /gate/sign-in?another=1&returnTo=%2Fboard',
        'Sign out -> /gate/sign-out',
      ],
    ],
    [
      'among the people, by name',
      '/board',
      { email: undefined },
      [
        'Your account doesn’t have access to this address.',
        `You are signed in as Ada. ${advice}`,
        'Sign in with another account -> /gate/sign-in?another=1&returnTo=%2Fboard',
        'Sign out -> /gate/sign-out',
      ],
    ],
    [
      'among the people, without a name',
      '/board',
      { email: undefined, name: undefined },
      [
        'Your account doesn’t have access to this address.',
        advice,
        'Sign in with another account -> /gate/sign-in?another=1&returnTo=%2Fboard',
        'Sign out -> /gate/sign-out',
      ],
    ],
    [
      'by another provider',
      '/lab?a=1',
      {},
      [
        'To open this address, sign in with another provider.',
        'You are signed in as ada@example.org.',
        'Sign in with Lab -> /gate/sign-in?provider=lab&returnTo=%2Flab%3Fa%3D1',
        'Sign out -> /gate/sign-out',
      ],
    ],
    [
      'by another provider, without a name',
      '/lab',
      { email: undefined, name: undefined },
      [
        'To open this address, sign in with another provider.',
        'Sign in with Lab -> /gate/sign-in?provider=lab&returnTo=%2Flab',
        'Sign out -> /gate/sign-out',
      ],
    ],
  ] as const)('%s (%s as %j) reads why, and what to do', async (_name, path, who, lines) => {
    const cookie = who === undefined ? '' : await sessionCookie(gate, who);
    const answer = await gate.fetch(path, { headers: { ...page, cookie } });
    const shown = shownOn(await answer.text());
    expect([answer.status, shown.slice(0, -1)]).toEqual([403, [new URL(origin).host, 'Access denied', ...lines]]);
    expect(shown.at(-1)).toMatch(/^FORBIDDEN · [0-9a-f]{8}$/);
  });
});

describe('a store that is down', () => {
  test('is told as such: to programs, to people with a way to try again, to the metrics', async () => {
    const cookie = await sessionCookie(gate);
    isStoreDown = true;
    const program = await gate.fetch('/x', { headers: { cookie } });
    expect([program.status, program.headers.get('retry-after'), await program.json()]).toEqual([
      503,
      '5',
      {
        error: 'STORE_DOWN',
        message: 'The gate cannot check who is signed in, so it refused this request. Try again in a moment.',
      },
    ]);
    const person = await gate.fetch('/x?a=1', { headers: { ...page, cookie } });
    expect(shownOn(await person.text())).toContain('Try again -> /x?a=1');
    const posted = await gate.fetch('/x?a=1', { method: 'POST', body: 'a', headers: { ...page, cookie } });
    // A form that was sent is not sent again.
    expect([posted.status, await posted.text()]).toEqual([503, expect.not.stringContaining('class="button')]);
    isStoreDown = false;
    expect(await (await gate.fetch('/gate/metrics')).text()).toContain('gate_store_failures_total 3\n');
  });

  test('is not ready, and says when to ask again; alive it is', async () => {
    expect(await (await gate.fetch('/gate/readyz')).json()).toEqual({ status: 'ready' });
    isStoreDown = true;
    const answer = await gate.fetch('/gate/readyz');
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      503,
      '5',
      { status: 'the store cannot be reached' },
    ]);
    const alive = await gate.fetch('/gate/healthz');
    expect([alive.status, await alive.json(), alive.headers.get('cache-control')]).toEqual([200, { status: 'ok' }, 'no-store']);
  });
});

test.each([
  ['the store finds wrong', () => new StoreError('STORE_INVALID')],
  ['nobody foresaw', () => new TypeError('a secret')],
])('an error that %s is ours: access is denied, it is logged, and nothing of it is shown', async (_name, create) => {
  const cookie = await sessionCookie(gate);
  fault = create();
  const answer = await gate.fetch('/x', { headers: { cookie } });
  expect([answer.status, await answer.json()]).toEqual([
    500,
    { error: 'INTERNAL', message: 'This is our fault, and we have logged it.' },
  ]);
  expect(gate.log).toMatchObject([{ level: 'error', message: 'a request failed', method: 'GET', error: fault.message }]);
});

test('an application that is down is told, with a way to try again', async () => {
  const rules = [{ paths: ['/**'], allow: 'anyone' }];
  await using one = await startGate({ upstream: 'http://127.0.0.1:9', rules });
  const answer = await one.fetch('/x?a=1', { headers: page });
  expect([answer.status, shownOn(await answer.text()).slice(1)]).toEqual([
    502,
    [
      'The application is unavailable',
      'The application behind this gate is not responding. Try again in a moment.',
      'Try again -> /x?a=1',
      'UPSTREAM_DOWN',
    ],
  ]);
  const post = await one.fetch('/x', { method: 'POST', body: 'a', headers: page });
  expect(await post.text()).not.toContain('class="button');
  const slow = { connect: '10s', response: '1s', idle: '10s' };
  await using application = await serve(() => {});
  await using two = await startGate({ upstream: application.origin, rules, timeouts: slow });
  const late = await two.fetch('/x?a=1', { headers: page });
  expect([late.status, shownOn(await late.text()).slice(-2)]).toEqual([504, ['Try again -> /x?a=1', 'UPSTREAM_SLOW']]);
  // From the start page there is no way to the start page.
  await using alone = await startGate({ rules });
  expect(await (await alone.fetch('/', { headers: page })).text()).not.toContain('Go to the start page');
});

test('who-am-I says who it is, and until when', async () => {
  const at = Date.now();
  const cookie = await sessionCookie(gate);
  const answer = await gate.fetch('/gate/me', { headers: { cookie } });
  const { signedInAt, idleUntil, endsAt, ...who } = await answer.json();
  expect(who).toEqual({
    provider: 'corp',
    issuer: 'https://op.example',
    subject: 'ada',
    email: 'ada@example.org',
    emailTrusted: true,
    name: 'Ada',
    groups: ['staff'],
  });
  const { idleSeconds, lifetimeSeconds } = gate.config.session;
  const began = Date.parse(signedInAt);
  expect(began).toBeGreaterThanOrEqual(at - 1);
  // The store and the gate look at the clock one after the other.
  expect(Math.abs(Date.parse(endsAt) - began - lifetimeSeconds * 1000)).toBeLessThan(5_000);
  expect(Math.abs(Date.parse(idleUntil) - began - idleSeconds * 1000)).toBeLessThan(5_000);
  const nameless = await sessionCookie(gate, { email: undefined, name: undefined, isEmailTrusted: false });
  expect(await (await gate.fetch('/gate/me', { headers: { cookie: nameless } })).json()).toMatchObject({
    email: null,
    emailTrusted: false,
    name: null,
  });
});

test.each(['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-host'])(
  'nobody reads the metrics through a proxy, which %s shows',
  async name => {
    expect((await gate.fetch('/gate/metrics', { headers: { [name]: '127.0.0.1' } })).status).toBe(404);
    const own = await gate.fetch('/gate/metrics');
    expect([own.status, own.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
  },
);

test('the style sheet may be kept for an hour', async () => {
  const answer = await gate.fetch('/gate/assets/gate.css');
  expect([answer.status, headersOf(answer)]).toMatchObject([
    200,
    { ...closed, 'cache-control': 'public, max-age=3600', 'content-type': 'text/css; charset=utf-8' },
  ]);
});
