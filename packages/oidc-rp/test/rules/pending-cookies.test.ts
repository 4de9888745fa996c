import { CompactEncrypt } from 'jose';
import { expect, test } from 'vitest';
import { PendingCookies } from '../../src/index.ts';
import { errorOf } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const key = () => crypto.getRandomValues(new Uint8Array(32));
const op = await FakeOp.start();
const rp = op.relyingParty();
const now = () => new Date(op.nowMs);
const pairOf = (line: string) => line.split(';')[0]!;
const callbackOf = (state: string) => `https://rp.example/callback?code=x&state=${state}`;

test('what is kept comes back for its own state alone, sealed, and its cookie is ended', async () => {
  const cookies = new PendingCookies({ keys: [key()], now });
  const { pending } = await rp.startSignIn({ returnTo: '/n/1' });
  const [line, ...rest] = await cookies.keep(pending, null);
  expect(rest).toEqual([]);
  for (const secret of [pending.codeVerifier, pending.nonce, pending.state]) expect(line).not.toContain(secret);
  const taken = await cookies.take(callbackOf(pending.state), `a=b; ${pairOf(line!)}; c`);
  expect(taken.pending).toEqual(pending);
  expect(taken.setCookies).toEqual([`${pairOf(line!).split('=')[0]}=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0`]);
  for (const address of [callbackOf('x'), 'https://rp.example/callback', 'http://', callbackOf('')])
    expect(await cookies.take(address, pairOf(line!))).toEqual({ pending: undefined, setCookies: [] });
  expect((await cookies.take(callbackOf(pending.state), null)).pending).toBeUndefined();
});

test.each([
  ['changed', (value: string) => value.replace(/.{4}$/, 'AAAA')],
  ['cut', (value: string) => value.slice(0, -20)],
  ['empty', () => ''],
  ['no encryption at all', () => Buffer.from('{"state":"x"}').toString('base64url')],
])('a cookie that is %s is nobody’s', async (_fault, change) => {
  const cookies = new PendingCookies({ keys: [key()], now });
  const { pending } = await rp.startSignIn();
  const [name, value] = pairOf((await cookies.keep(pending, null))[0]!).split('=') as [string, string];
  expect((await cookies.take(callbackOf(pending.state), `${name}=${change(value)}`)).pending).toBeUndefined();
});

test('keys rotate: the first seals, all open, and a key that is gone opens nothing', async () => {
  const [old, fresh] = [key(), key()];
  const { pending } = await rp.startSignIn();
  const kept = pairOf((await new PendingCookies({ keys: [old], now }).keep(pending, null))[0]!);
  const found = async (keys: Uint8Array[]) =>
    (await new PendingCookies({ keys, now }).take(callbackOf(pending.state), kept)).pending;
  expect(await found([fresh, old])).toEqual(pending);
  expect(await found([fresh])).toBeUndefined();
});

test('one browser keeps a few: past them the oldest go, also after a long name of another cookie', async () => {
  const cookies = new PendingCookies({ keys: [key()], now, maxPending: 2 });
  const jar = new Map<string, string>();
  const states: string[] = [];
  for (let at = 0; at < 4; at += 1) {
    const { pending } = await rp.startSignIn();
    states.push(pending.state);
    const header = ['other=x', ...[...jar].map(pair => pair.join('='))].join('; ');
    for (const line of await cookies.keep(pending, header)) {
      const [name, value] = pairOf(line).split('=') as [string, string];
      if (line.endsWith('Max-Age=0')) jar.delete(name);
      else jar.set(name, value);
    }
    op.advance(1);
  }
  const header = [...jar].map(pair => pair.join('=')).join('; ');
  const found = await Promise.all(states.map(async state => (await cookies.take(callbackOf(state), header)).pending?.state));
  expect(found).toEqual([undefined, undefined, states[2], states[3]]);
});

test('a form is found by its state in every kind of request, and the request can still be read', async () => {
  const cookies = new PendingCookies({ keys: [key()], now });
  const posting = op.relyingParty({ responseMode: 'form_post' });
  for (const kind of ['Request', 'text', 'object', 'parameters'] as const) {
    const { url, pending } = await posting.startSignIn();
    const kept = pairOf((await cookies.keep(pending, null))[0]!);
    const body = new URL(op.authorize(url)).searchParams;
    const contentType = 'application/x-www-form-urlencoded';
    const request = {
      Request: new Request('https://rp.example/callback', { method: 'POST', body }),
      text: { method: 'POST', url: '/callback', contentType, body: body.toString() },
      object: { method: 'POST', url: '/callback', contentType, body: Object.fromEntries(body) },
      parameters: { method: 'POST', url: '/callback', contentType, body },
    }[kind];
    const taken = await cookies.take(request, kept);
    expect((await posting.finishSignIn(request, taken.pending)).identity.subject, kind).toBe('sub-1');
  }
});

test('a signed response is found by the state inside', async () => {
  const cookies = new PendingCookies({ keys: [key()], now });
  const { pending } = await rp.startSignIn();
  const kept = pairOf((await cookies.keep(pending, null))[0]!);
  const response = await op.sign(op.claims({ state: pending.state }));
  expect((await cookies.take(`https://rp.example/callback?response=${response}`, kept)).pending).toEqual(pending);
});

test.each([
  ['options', undefined],
  ['options.keys', {}],
  ['options.keys', { keys: [] }],
  ['options.keys[0]', { keys: ['0123456789abcdef0123456789abcdef'] }],
  ['options.keys[1]', { keys: [key(), new Uint8Array(31)] }],
  ['options.maxPending', { keys: [key()], maxPending: 0 }],
  ['options.maxPending', { keys: [key()], maxPending: 11 }],
  ['options.secure', { keys: [key()], secure: false }],
])('refuses %s by its path', (path, options) => {
  expect(() => new PendingCookies(options as never)).toThrow(
    expect.objectContaining({ code: 'OIDC_CONFIG_INVALID', check: path }),
  );
});

test('what is too long for a cookie, or damaged, is refused and not cut', async () => {
  const cookies = new PendingCookies({ keys: [key()], now });
  const { pending } = await rp.startSignIn({ returnTo: `/${'a'.repeat(2_000)}`, tokenParameters: { note: 'b'.repeat(2_000) } });
  expect(await errorOf(cookies.keep(pending, null))).toMatchObject({ code: 'OIDC_CONFIG_INVALID', check: 'pending' });
  expect((await errorOf(cookies.keep({ ...pending, nonce: '' }, null))).code).toBe('OIDC_PENDING_INVALID');
});

test('for plain http on a loopback address the cookies say less', async () => {
  const cookies = new PendingCookies({ keys: [key()], now, dangerouslyAllowLoopbackHttp: true });
  const { pending } = await op.relyingParty({ responseMode: 'form_post' }).startSignIn();
  const [line] = await cookies.keep(pending, null);
  expect(line).toMatch(/^oidc-[\w-]+=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/);
});

test.each(['null', '5', '"x"', '{}', '{"state":7}', '[]'])('%s that another use of the key sealed is no sign-in', async text => {
  const bytes = key();
  const sealed = await new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(bytes);
  const cookies = new PendingCookies({ keys: [bytes], now });
  const taken = await cookies.take('https://rp.example/callback?state=x', `__Host-oidc-a=${sealed}`);
  expect(taken).toEqual({ pending: undefined, setCookies: [] });
});
