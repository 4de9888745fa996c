import { afterAll, beforeAll, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { sessionCookie } from '../support/session.ts';

let gate: TestGate;

beforeAll(async () => {
  gate = await startGate({ providers: [corp], rules: [{ paths: ['/**'], allow: 'signed-in' }] });
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

test('64 kB of the worst octets are kept, one more is too much', async () => {
  // The frame around the file takes some of it.
  const kept = await send(form(65_000));
  expect(kept.status).toBe(303);
  const html = await resumed(kept);
  expect(html).toContain('enctype="multipart/form-data"');
  expect(/data-content="([^"]+)"/.exec(html)?.[1]).toBe(Buffer.alloc(65_000).toString('base64'));
  expect((await send(form(65_537))).status).toBe(413);
});

test.each([
  ['of another site', { 'sec-fetch-site': 'cross-site' }],
  ['of which the browser does not say where it comes from', { 'sec-fetch-site': '' }],
  ['of another kind', { 'content-type': 'text/plain' }],
])('a form %s is not kept', async (_name, headers) => {
  const body = new URLSearchParams({ a: 'b' }).toString();
  const answer = await send(body, { 'content-type': 'application/x-www-form-urlencoded', ...headers });
  expect(answer.headers.get('location')).toBe('/gate/sign-in');
});

test('a body that is no form after all leads to the page, not to an error', async () => {
  const answer = await send('no parts at all', { 'content-type': 'multipart/form-data; boundary=x' });
  expect(answer.status).toBe(303);
  const returnTo = new URL(answer.headers.get('location') ?? '', gate.origin).searchParams.get('returnTo') ?? '';
  const cookie = `${answer.headers.getSetCookie()[0]?.split(';')[0]}; ${await sessionCookie(gate)}`;
  const page = await gate.fetch(returnTo, { headers: { accept: 'text/html', cookie } });
  expect([page.status, page.headers.get('location')]).toEqual([303, '/']);
});

test('what a field holds stays text in the page', async () => {
  const data = new FormData();
  data.append('<b>"name', '</textarea><script>alert(1)</script>');
  data.append('file', new File(['x'], '"><script>alert(2)</script>.txt'));
  const html = await resumed(await send(data));
  expect(html).not.toMatch(/<script>alert/);
});
