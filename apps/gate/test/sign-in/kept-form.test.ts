import { afterAll, beforeAll, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';

const settings = { providers: [corp], rules: [{ paths: ['/**'], allow: 'signed-in' }] };
let gate: TestGate;

beforeAll(async () => {
  gate = await startGate(settings);
});

afterAll(() => gate?.[Symbol.asyncDispose]());

const send = (body: BodyInit, headers: Record<string, string> = {}) =>
  gate.fetch('/save', { method: 'POST', body, headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin', ...headers } });

/** The page that comes after the sign-in of whoever sent it. */
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
])('does not keep a form %s', async (_name, headers) => {
  const body = new URLSearchParams({ a: 'b' }).toString();
  const answer = await send(body, { 'content-type': 'application/x-www-form-urlencoded', ...headers });
  expect(answer.headers.get('location')).toBe(`${gate.origin}/gate/sign-in`);
});

test('shows the page if the body is not a form after all', async () => {
  const answer = await send('no parts at all', { 'content-type': 'multipart/form-data; boundary=x' });
  expect(answer.status).toBe(303);
  const returnTo = new URL(answer.headers.get('location') ?? '', gate.origin).searchParams.get('returnTo') ?? '';
  const cookie = `${answer.headers.getSetCookie()[0]?.split(';')[0]}; ${await sessionCookie(gate)}`;
  const page = await gate.fetch(returnTo, { headers: { accept: 'text/html', cookie } });
  expect([page.status, page.headers.get('location')]).toEqual([303, '/']);
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
  expect(await get(session)).toEqual([303, '/']);
  expect(await get(`gate-browser=${'x'.repeat(32)}; ${session}`)).toEqual([303, '/']);
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
  expect(await status()).toBe(303);
});

test.each([
  ['of another site', { 'sec-fetch-site': 'cross-site' }],
  ['of another subdomain', { 'sec-fetch-site': 'same-site' }],
  ['of a page without an origin', { 'sec-fetch-site': '', origin: 'null' }],
])('does not keep a form %s, which the person may not have filled in', async (_name, headers) => {
  const all = { 'content-type': 'application/x-www-form-urlencoded', ...headers } as Record<string, string>;
  const answer = await send('a=1', all);
  expect([answer.status, answer.headers.get('location')]).toEqual([303, `${gate.origin}/gate/sign-in`]);
});
