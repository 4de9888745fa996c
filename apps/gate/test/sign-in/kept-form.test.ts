import { setTimeout } from 'node:timers/promises';
import { openStore } from '@octavo/sign-in-store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';

const settings = { providers: [corp], rules: [{ paths: ['/**'], allow: 'signed-in' }] };
let gate: TestGate;

beforeAll(async () => {
  gate = await startGate(settings);
});

afterAll(() => gate?.[Symbol.asyncDispose]());

const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };

const send = (body: BodyInit, headers: Record<string, string> = {}) =>
  gate.fetch('/save', { method: 'POST', body, headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin', ...headers } });

/** The page that comes after the sign-in of its sender. */
async function resumed(answer: Response): Promise<string> {
  const returnTo = new URL(answer.headers.get('location') ?? '', gate.origin).searchParams.get('returnTo') ?? '';
  const browser = answer.headers.getSetCookie()[0]?.split(';')[0];
  const cookie = `${browser}; ${await sessionCookie(gate)}`;
  return (await gate.fetch(returnTo, { headers: { accept: 'text/html', cookie } })).text();
}

function form(octets: number): FormData {
  const data = new FormData();
  data.append('file', new File([new Uint8Array(octets)], 'zeros.bin'));
  return data;
}

test('keeps a form of up to 64 kB, whatever its bytes', async () => {
  // The frame around the file takes some of it.
  const kept = await send(form(65_000));
  expect(kept.status).toBe(303);
  const html = await resumed(kept);
  expect(html).toContain('enctype="multipart/form-data"');
  expect(/data-content="([^"]+)"/.exec(html)?.[1]).toBe(Buffer.alloc(65_000).toString('base64'));
  const refused = await send(form(65_537));
  const page = await refused.text();
  expect([refused.status, page]).toEqual([413, expect.stringContaining('Your form was not sent')]);
  // What was filled in is still in the page before: it must not be left to sign in.
  expect(page).toMatch(/Open this site in a new tab and sign in there\. Then go back in this tab and send the form again\./);
});

test.each([
  ['of another site', { 'sec-fetch-site': 'cross-site' }],
  ['with an empty Sec-Fetch-Site', { 'sec-fetch-site': '' }],
  ['of another kind', { 'content-type': 'text/plain' }],
  ['of another kind that speaks of a form', { 'content-type': 'text/plain; x=application/x-www-form-urlencoded' }],
])('does not keep a form %s', async (_name, headers) => {
  const body = new URLSearchParams({ a: 'b' }).toString();
  const answer = await send(body, { 'content-type': 'application/x-www-form-urlencoded', ...headers });
  expect(answer.headers.get('location')).toBe(`${gate.origin}/gate/sign-in?notice=form`);
});

test('says so if the body is not a form after all', async () => {
  const answer = await send('no parts at all', { 'content-type': 'multipart/form-data; boundary=x' });
  expect(answer.status).toBe(303);
  const returnTo = new URL(answer.headers.get('location') ?? '', gate.origin).searchParams.get('returnTo') ?? '';
  const cookie = `${answer.headers.getSetCookie()[0]?.split(';')[0]}; ${await sessionCookie(gate)}`;
  const page = await gate.fetch(returnTo, { headers: { accept: 'text/html', cookie } });
  expect([page.status, await page.text()]).toEqual([410, expect.stringContaining('Your form was not sent')]);
});

test.each([
  ['nothing, of no type (CVE-2025-3891)', undefined, {}],
  ['nothing, as a form', '', urlencoded],
  ['nothing, as a form of parts', '', { 'content-type': 'multipart/form-data; boundary=x' }],
  ['parts without a boundary', 'x', { 'content-type': 'multipart/form-data' }],
  ['two types', 'a=1', { 'content-type': 'application/x-www-form-urlencoded, text/plain' }],
  ['a long boundary', 'x', { 'content-type': `multipart/form-data; boundary=${'x'.repeat(5_000)}` }],
])('a POST with %s leads to the sign-in page and back like any other', async (_what, body, headers) => {
  const all = { accept: 'text/html', 'sec-fetch-site': 'same-origin', ...headers };
  const answer = await gate.fetch('/save', { method: 'POST', headers: all, ...(body === undefined ? {} : { body }) });
  expect(answer.status).toBe(303);
  const { searchParams } = new URL(answer.headers.get('location') ?? '', gate.origin);
  const cookie = `${answer.headers.getSetCookie()[0]?.split(';')[0]}; ${await sessionCookie(gate)}`;
  const back = await gate.fetch(searchParams.get('returnTo') ?? '/gate/sign-in', { headers: { accept: 'text/html', cookie } });
  expect([200, 303, 410]).toContain(back.status);
});

test('escapes field values in the page', async () => {
  const data = new FormData();
  data.append('<b>"name', '</textarea><script>alert(1)</script>');
  data.append('file', new File(['x'], '"><script>alert(2)</script>.txt'));
  const html = await resumed(await send(data));
  expect(html).not.toMatch(/<script>alert/);
});

test('returns the form once, to its own address and browser', async () => {
  const kept = await send('a=1', { 'content-type': 'application/x-www-form-urlencoded' });
  const resume = new URL(kept.headers.get('location') ?? '', gate.origin).searchParams.get('returnTo') ?? '';
  expect(resume).toMatch(/^\/gate\/resume\?form=[\w-]{32}$/);
  const browser = kept.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const session = await sessionCookie(gate);
  const get = async (cookie: string, more = '') => {
    const answer = await gate.fetch(`${resume}${more}`, { headers: { accept: 'text/html', cookie } });
    return [answer.status, answer.headers.get('location') ?? /<form[^>]* action="([^"]*)"/.exec(await answer.text())?.[1]];
  };
  // Nobody signed in: it waits, and the sign-in leads back to it. Another browser, or none: there is nothing.
  expect(await get(browser)).toEqual([303, `${gate.origin}/gate/sign-in?${new URLSearchParams({ returnTo: resume })}`]);
  expect(await get(session)).toEqual([410, undefined]);
  expect(await get(`gate-browser=${'x'.repeat(32)}; ${session}`)).toEqual([410, undefined]);
  expect(await get(`${browser}; ${session}`, '&path=/admin&action=https://evil.example/')).toEqual([200, '/save']);
});

test('a reload finds the form again, and leaves it to the person to send it once more', async () => {
  const kept = await send(form(10));
  const returnTo = new URL(kept.headers.get('location') ?? '', gate.origin).searchParams.get('returnTo') ?? '';
  const cookie = `${kept.headers.getSetCookie()[0]?.split(';')[0]}; ${await sessionCookie(gate)}`;
  const page = async (method = 'GET') =>
    (await gate.fetch(returnTo, { method, headers: { accept: 'text/html', cookie } })).text();
  const first = await page();
  expect(first).toContain('submit.call');
  for (const reload of [await page(), await page()]) {
    expect(reload).not.toContain('submit.call');
    expect(reload).toContain('Send it again only if it did not arrive.');
    expect(reload).toContain(`data-content="${Buffer.alloc(10).toString('base64')}"`);
  }
});

test('a reload does not make the form stay longer', async () => {
  let aheadMs = 0;
  const now = () => new Date(Date.now() + aheadMs);
  await using later = await startGate(settings, { store: gate.store, overrides: { now } });
  const kept = await send('a=1', { 'content-type': 'application/x-www-form-urlencoded' });
  const returnTo = new URL(kept.headers.get('location') ?? '', gate.origin).searchParams.get('returnTo') ?? '';
  const cookie = `${kept.headers.getSetCookie()[0]?.split(';')[0]}; ${await sessionCookie(gate)}`;
  const status = async () => (await later.fetch(returnTo, { headers: { accept: 'text/html', cookie } })).status;
  aheadMs = 600_000;
  expect(await status()).toBe(200);
  aheadMs = 901_000;
  expect(await status()).toBe(410);
});

test('of reloads at the same moment, one sends the form and all find it', async () => {
  // A store in the same process answers each before it hears the next; one behind a network does not.
  const store = await openStore(gate.store);
  const soon =
    <A extends unknown[], R>(ask: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      await setTimeout(20);
      return ask(...given).finally(() => setTimeout(20));
    };
  const far = {
    keepPending: soon(store.keepPending),
    takePending: soon(store.takePending),
    findPending: soon(store.findPending),
  };
  await using other = await startGate(settings, { store: gate.store, overrides: { store: { ...store, ...far } } });
  const kept = await send('a=1', { 'content-type': 'application/x-www-form-urlencoded' });
  const returnTo = new URL(kept.headers.get('location') ?? '', gate.origin).searchParams.get('returnTo') ?? '';
  const cookie = `${kept.headers.getSetCookie()[0]?.split(';')[0]}; ${await sessionCookie(gate)}`;
  const reload = async () => (await other.fetch(returnTo, { headers: { accept: 'text/html', cookie } })).text();
  const pages = await Promise.all(Array.from({ length: 8 }, reload));
  expect(pages.filter(page => page.includes('submit.call'))).toHaveLength(1);
  expect(pages.filter(page => page.includes('Send it again only if it did not arrive.'))).toHaveLength(7);
});

test('a person whose form is gone is told so, and gets back to its page', async () => {
  const kept = await send('a=1', { ...urlencoded, referer: `${gate.origin}/edit/7?tab=2` });
  const returnTo = new URL(kept.headers.get('location') ?? '', gate.origin).searchParams.get('returnTo') ?? '';
  const session = await sessionCookie(gate);
  const page = await gate.fetch(returnTo, { headers: { accept: 'text/html', cookie: session } });
  const html = await page.text();
  expect([page.status, html]).toEqual([410, expect.stringContaining('Your form was not sent')]);
  expect(html).toContain('<a class="button first" href="/edit/7?tab=2">Go back to its page</a>');
  // Nothing that a page may be called becomes markup or a script.
  for (const referer of [`${gate.origin}/"><script>alert(1)</script>?'"><b`, 'javascript:alert(1)', 'data:/,x']) {
    const other = await send('a=1', { ...urlencoded, referer });
    const to = new URL(other.headers.get('location') ?? '', gate.origin).searchParams.get('returnTo') ?? '';
    const text = await (await gate.fetch(to, { headers: { accept: 'text/html', cookie: session } })).text();
    expect(text).not.toMatch(/<script>alert|javascript:|"><b|data:/);
    expect(text).toMatch(/<a class="button first" href="\/[^"']*">/);
  }
  // The way there outlives a sign-in on the way, and a form that is there is shown as ever.
  const waiting = await gate.fetch(returnTo, { headers: { accept: 'text/html' } });
  expect(new URL(waiting.headers.get('location') ?? '', gate.origin).searchParams.get('returnTo')).toBe(returnTo);
  const cookie = `${kept.headers.getSetCookie()[0]?.split(';')[0]}; ${session}`;
  expect((await gate.fetch(returnTo, { headers: { accept: 'text/html', cookie } })).status).toBe(200);
});

test.each([
  ['none', undefined],
  ['one of our own', '/gate/sign-in'],
  ['one that is longer than an address should be', `/${'a'.repeat(600)}`],
  ['one that leads away', '/.//evil.example'],
])('of a page that is %s, the way goes to the start page', async (_name, path) => {
  const kept = await send('a=1', { ...urlencoded, ...(path === undefined ? {} : { referer: `${gate.origin}${path}` }) });
  const returnTo = new URL(kept.headers.get('location') ?? '', gate.origin).searchParams.get('returnTo') ?? '';
  expect(returnTo).toMatch(/^\/gate\/resume\?form=[\w-]{32}$/);
  const headers = { accept: 'text/html', cookie: await sessionCookie(gate) };
  for (const more of ['', '&page=https://evil.example', '&page=//evil.example'])
    expect(await (await gate.fetch(`${returnTo}${more}`, { headers })).text()).toContain(
      '<a class="button first" href="/">Go to the start page</a>',
    );
});

test('under another host name, where nobody can sign in, a form is not taken from the person', async () => {
  const page = { origin: 'http://wiki.internal', referer: 'http://wiki.internal/edit/7' };
  const answer = await send('a=1', { ...urlencoded, ...page });
  const html = await answer.text();
  expect([answer.status, html]).toEqual([400, expect.stringContaining('Your form was not sent')]);
  expect(html).toContain(`href="${gate.origin}/edit/7"`);
  expect(html).toContain('Go back and copy what you filled in.');
  // Cookies are the same under every port of a host, and a page that hides its origin may be ours.
  const { port } = new URL(gate.origin);
  for (const origin of [`http://127.0.0.1:${Number(port) + 1}`, 'null'])
    expect((await send('a=1', { ...urlencoded, origin })).headers.get('location')).toContain('resume');
});

test.each([
  ['of another site', { 'sec-fetch-site': 'cross-site' }],
  ['of another subdomain', { 'sec-fetch-site': 'same-site' }],
  ['of a page without an origin', { 'sec-fetch-site': '', origin: 'null' }],
])('does not keep a form %s, which the person may not have filled in', async (_name, headers) => {
  const all = { 'content-type': 'application/x-www-form-urlencoded', ...headers } as Record<string, string>;
  const answer = await send('a=1', all);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `${gate.origin}/gate/sign-in?notice=form`]);
});

test.each([
  ['of another kind, as a proxy', '/save', { 'content-type': 'text/plain' }],
  ['where a server in front asks', '/gate/forward', { 'x-forwarded-method': 'POST', 'x-forwarded-uri': '/save' }],
])(
  'a person whose form cannot be kept is told at the sign-in page, and gets back to its page: %s',
  async (_name, path, headers) => {
    const asProxy = path === '/save';
    const from = { accept: 'text/html', 'sec-fetch-site': 'same-origin', referer: `${gate.origin}/edit/7?tab=2` };
    const answer = await gate.fetch(path, {
      headers: { ...from, ...(headers as Record<string, string>) },
      ...(asProxy ? { method: 'POST', body: 'a=1' } : {}),
    });
    const location = answer.headers.get('location') ?? '';
    expect([answer.status, location]).toEqual([303, `${gate.origin}/gate/sign-in?returnTo=%2Fedit%2F7%3Ftab%3D2&notice=form`]);
    const page = await (await fetch(location, { redirect: 'manual', headers: { accept: 'text/html' } })).text();
    expect(page).toContain('We could not keep the form that you sent.');
    expect(page).toContain('returnTo=%2Fedit%2F7%3Ftab%3D2');
    // A page of another site is none of ours, and who is signed in by now goes on.
    const foreign = await gate.fetch(path, {
      headers: { ...from, ...(headers as Record<string, string>), 'sec-fetch-site': 'cross-site' },
      ...(asProxy ? { method: 'POST', body: 'a=1' } : {}),
    });
    expect(foreign.headers.get('location')).toBe(`${gate.origin}/gate/sign-in?notice=form`);
    const signedIn = await fetch(location, {
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: await sessionCookie(gate) },
    });
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/edit/7?tab=2']);
  },
);

test('the page that sends a form again has its fields in their order, and says how they go', async () => {
  const html = await resumed(await send('a=1&b=%C3%A9&a=2', urlencoded));
  const fields = (text: string) =>
    [...text.matchAll(/<(?:input|textarea)[^>]* name="([^"]*)"[^>]*?(?: value="([^"]*)"\/?>|>([^<]*)<\/textarea>)/g)].map(
      ([, name, value, body]) => `${name}=${(value ?? body)?.trim()}`,
    );
  expect(fields(html)).toEqual(['a=1', 'b=é', 'a=2']);
  expect(html).toContain('action="/save"');
  expect(html).not.toContain('multipart');
  const data = new FormData();
  data.append('a', '1');
  expect(await resumed(await send(data))).toContain('enctype="multipart/form-data"');
  data.append('file', new File(['x'], 'x.txt', { type: 'text/x' }));
  const mixed = await resumed(await send(data));
  expect(mixed).toContain('enctype="multipart/form-data"');
  expect(mixed).toMatch(/data-content="eA=="[^>]*data-name="x.txt"[^>]*data-type="text\/x"/);
});

test('the page of a form may be as long as 500 characters', async () => {
  const pageOf = async (length: number) => {
    const referer = `${gate.origin}/`.padEnd(length, 'a');
    const kept = await send('a=1', { ...urlencoded, referer });
    return new URL(kept.headers.get('location') ?? '').searchParams.get('returnTo')?.includes('&page=');
  };
  expect([await pageOf(500), await pageOf(501)]).toEqual([true, false]);
});

test('a form under another host name leads to its page here, or to the first one', async () => {
  const site = new URL(gate.origin).host;
  for (const [referer, path] of [
    ['http://wiki.internal/edit/7', '/edit/7'],
    ['no address', '/'],
  ] as const) {
    const html = await (await send('a=1', { ...urlencoded, origin: 'http://wiki.internal', referer })).text();
    expect(html).toContain(`href="${gate.origin}${path}">Open the page at ${site}</a>`);
  }
});
