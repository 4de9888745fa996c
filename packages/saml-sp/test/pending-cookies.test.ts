import { describe, expect, test } from 'vitest';
import { maxFormBytes } from '../src/bindings/post-binding.ts';
import { PendingCookies } from '../src/sign-in/pending-cookies.ts';
import { buildLogout, plainLogoutResponse, postLogout } from './support/logout-fixture.ts';
import { buildResponse } from './support/response.ts';
import { now, pending, pendingLogout, postResponse } from './support/world.ts';

const secret = 'a secret of thirty-two characters';
const create = (keys = [secret]) => new PendingCookies({ keys, now: () => now });
const pairOf = (line = ''): string => line.split(';', 1)[0] ?? '';
const answer = postResponse(buildResponse());

describe('a sign-in under way is kept sealed in the browser that began it', () => {
  test('comes back whole, and is forgotten', async () => {
    const [line = ''] = create().keep(pending, undefined);
    expect(line).toMatch(/^__Host-saml-[0-9a-f]{24}=[\w-]+; Path=\/; Max-Age=570; HttpOnly; Secure; SameSite=None$/);
    expect(line).not.toContain('request1');
    const { pending: back, clear } = await create().takeSignIn(answer, `a=b; ${pairOf(line)}; c=d`);
    expect(back).toEqual(pending);
    expect(clear).toEqual([expect.stringMatching(/^__Host-saml-[0-9a-f]{24}=; Path=\/; Max-Age=0;/)]);
  });

  test('from a web Request, whose body can still be read afterwards', async () => {
    const request = new Request('https://sp.example.org/saml/acs', {
      method: 'POST',
      headers: { 'content-type': answer.contentType },
      body: answer.body,
    });
    expect((await create().takeSignIn(request, pairOf(create().keep(pending, '')[0]))).pending).toEqual(pending);
    expect(await request.text()).toBe(answer.body);
  });

  test('refuses a web Request that is too large', async () => {
    const chunk = new Uint8Array(maxFormBytes).fill(120);
    const body = new ReadableStream<Uint8Array>({ pull: controller => controller.enqueue(chunk) });
    const headers = { 'content-type': answer.contentType };
    const init = { method: 'POST', headers, body, duplex: 'half' };
    const request = new Request('https://sp.example.org/saml/acs', init as RequestInit);
    await expect(create().takeSignIn(request, '')).rejects.toMatchObject({ code: 'SAML_MESSAGE_TOO_LARGE' });
  });

  test('a sign-out too, by POST and by Redirect', async () => {
    const cookie = pairOf(create().keep(pendingLogout, null)[0]);
    const posted = postLogout(buildLogout(plainLogoutResponse), pendingLogout.relayState);
    expect((await create().takeSignOut(posted, cookie)).pending).toEqual(pendingLogout);
    expect((await create().takeSignOut(`/slo?RelayState=${pendingLogout.relayState}`, cookie)).pending).toEqual(pendingLogout);
    await expect(create().takeSignIn(posted, cookie)).rejects.toMatchObject({ code: 'SAML_PENDING_INVALID' });
  });

  test('an older key still opens', async () => {
    const cookie = pairOf(create().keep(pending, '')[0]);
    const next = 'another secret of thirty-two characters';
    expect((await create([next, secret]).takeSignIn(answer, cookie)).pending).toEqual(pending);
    expect((await create([next]).takeSignIn(answer, cookie)).pending).toBeUndefined();
  });

  test.each<[string, (cookie: string) => string]>([
    ['changed', cookie => `${cookie.slice(0, -4)}AAAA`],
    ['cut', cookie => cookie.slice(0, 60)],
    ['empty', cookie => cookie.replace(/=.*/, '=')],
    [
      'of another sign-in under this name',
      cookie => cookie.replace(/=.*/, `=${pairOf(create().keep({ ...pending, relayState: 'other' }, '')[0]).split('=')[1]}`),
    ],
    ['without its prefix', cookie => cookie.replace('__Host-', '')],
  ])('ignores a cookie that is %s', async (_name, change) => {
    const cookie = pairOf(create().keep(pending, '')[0]);
    expect(await create().takeSignIn(answer, change(cookie))).toEqual({ pending: undefined, clear: [] });
  });

  test('drops the oldest if there are more than five', () => {
    let cookies: string[] = [];
    for (let at = 0; at < 9; at += 1) {
      const lines = create().keep({ ...pending, relayState: `relay-${at}` }, cookies.join('; '));
      const gone = lines.filter(line => line.includes('Max-Age=0')).map(line => pairOf(line).split('=')[0]);
      cookies = [...cookies.filter(one => !gone.includes(one.split('=')[0])), pairOf(lines.at(-1))];
    }
    expect(cookies).toHaveLength(5);
  });

  test('one that no browser would keep is refused, not lost', () => {
    const long = (length: number) => ({ ...pending, returnTo: `/${'ü'.repeat(length)}` });
    expect(() => create().keep(long(1_000), '')).not.toThrow();
    expect(pairOf(create().keep(long(1_000), '')[0]).length).toBeLessThan(3_800);
    expect(() => create().keep(long(2_000), '')).toThrow(/^pending: expected at most 3800 bytes as a cookie, got \d+$/);
  });

  test.each([
    ['a short secret', { keys: ['short'] }, 'options.keys[0]: expected a secret of 32 to 1024 characters'],
    ['no secret', { keys: [] }, 'options.keys[0]: expected a string that is not empty, got undefined'],
    ['an unknown option', { keys: [secret], maxAge: 5 }, 'options.maxAge: there is no such setting'],
  ])('refuses %s', (_name, options, message) => {
    expect(() => new PendingCookies(options)).toThrow(message);
  });
});

test('a Request whose global class a server has replaced is still one', async () => {
  const plain = globalThis.Request;
  class Replaced extends plain {}
  globalThis.Request = Replaced;
  try {
    const request = new Request('https://sp.example.org/saml/acs', {
      method: 'POST',
      headers: { 'content-type': answer.contentType },
      body: answer.body,
    });
    expect((await create().takeSignIn(request, pairOf(create().keep(pending, '')[0]))).pending).toEqual(pending);
  } finally {
    globalThis.Request = plain;
  }
});
