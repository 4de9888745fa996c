import { expect, test } from 'vitest';
import { readConfiguration } from '../../src/client/configuration.ts';
import type { PendingDeviceSignIn } from '../../src/index.ts';
import { pollForTokens } from '../../src/sign-in/device-sign-in.ts';
import { errorOf, without } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

const honest = {
  device_code: 'device-code',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://op.example/device',
  verification_uri_complete: 'https://op.example/device?user_code=WDJB-MJHT',
  expires_in: 600,
  interval: 1,
};

async function device(changes: Record<string, unknown> = {}) {
  const op = await FakeOp.start();
  op.faults.metadata = document => ({ ...document, device_authorization_endpoint: `${op.issuer}/device_authorization` });
  op.more['/device_authorization'] = () => Response.json(without({ ...honest, ...changes }));
  return { op, rp: op.relyingParty({ scopes: ['email'] }) };
}

const signedIn = async (op: FakeOp, claims: object = {}) => ({
  access_token: 'at',
  token_type: 'Bearer',
  id_token: await op.sign(op.claims(claims as never)),
});
const refusal = (error: string, status = 400) => Response.json({ error }, { status });

/** Polls with these answers one after the other; tells how long was waited before each. */
async function polled(answers: ((op: FakeOp) => Response)[], changes: Record<string, unknown> = {}) {
  const { op, rp } = await device(changes);
  const { pending } = await rp.startDeviceSignIn();
  const left = [...answers];
  op.more['/token'] = async () => left.shift()?.(op) ?? signedIn(op);
  const waits: number[] = [];
  const outcome = pollForTokens(readConfiguration(op.options()), new URL(`${op.issuer}/token`), pending, async seconds => {
    waits.push(seconds);
    op.advance(seconds);
  });
  return { op, waits, outcome };
}

test('a device shows a code and an address, and signs in when the person has entered it', async () => {
  const { op, rp } = await device();
  const { pending, ...shown } = await rp.startDeviceSignIn({ scopes: ['profile'] });
  expect(shown).toEqual({
    userCode: 'WDJB-MJHT',
    verificationUri: 'https://op.example/device',
    verificationUriComplete: 'https://op.example/device?user_code=WDJB-MJHT',
  });
  expect(op.bodies.at(-1)!.get('scope')).toBe('openid email profile');
  op.more['/token'] = () => signedIn(op);
  const signIn = await rp.finishDeviceSignIn(JSON.parse(JSON.stringify(pending)));
  expect(signIn.identity).toEqual({ issuer: op.issuer, subject: 'sub-1' });
  const sent = op.bodies.find(body => body.has('device_code'))!;
  expect([sent.get('grant_type'), sent.get('device_code')]).toEqual([
    'urn:ietf:params:oauth:grant-type:device_code',
    'device-code',
  ]);
});

test('the ID Token of a device is checked like any other', async () => {
  const { op, rp } = await device();
  const { pending } = await rp.startDeviceSignIn();
  op.more['/token'] = () => signedIn(op, { aud: 'other' });
  expect((await errorOf(rp.finishDeviceSignIn(pending))).code).toBe('OIDC_CLAIM_AUD');
  op.more['/token'] = () => ({ access_token: 'at', token_type: 'Bearer' });
  expect((await errorOf(rp.finishDeviceSignIn(pending))).code).toBe('OIDC_ID_TOKEN_MISSING');
});

test('waiting: patient, slower when told to and after an outage, never faster', async () => {
  const { waits, outcome } = await polled([
    () => refusal('authorization_pending'),
    () => refusal('slow_down'),
    () => new Response('', { status: 503 }),
    () => refusal('authorization_pending', 401),
  ]);
  expect((await outcome).accessToken).toBe('at');
  expect(waits).toEqual([1, 1, 6, 11, 11]);
});

test('a provider that wants to be asked rarely is asked no sooner, and later still when it says so (RFC 8628 §3.5)', async () => {
  const { waits, outcome } = await polled([() => refusal('slow_down'), () => refusal('authorization_pending')], {
    interval: 600,
    expires_in: 3_600,
  });
  expect((await outcome).accessToken).toBe('at');
  expect(waits).toEqual([600, 605, 605]);
});

test('an interval past the end of the code is one wait, and no question', async () => {
  const { op, waits, outcome } = await polled([], { interval: 1_000_000 });
  expect((await errorOf(outcome)).code).toBe('OIDC_DEVICE_EXPIRED');
  expect([waits, op.asked('/token')]).toEqual([[3_600], 0]);
});

test.each([
  ['the person says no', () => refusal('access_denied'), 'OIDC_PROVIDER_ERROR'],
  ['the provider says that the code is over', () => refusal('expired_token'), 'OIDC_DEVICE_EXPIRED'],
  ['the client is refused', () => refusal('invalid_client', 401), 'OIDC_TOKEN_ERROR'],
] as const)('%s: the wait ends', async (_why, answer, code) => {
  const { op, outcome } = await polled([answer]);
  expect((await errorOf(outcome)).code).toBe(code);
  expect(op.asked('/token')).toBe(1);
});

test('the wait ends with the code, though the provider goes on saying "pending"', async () => {
  const { op, outcome } = await polled(Array.from({ length: 1_000 }, () => () => refusal('authorization_pending')));
  expect((await errorOf(outcome)).code).toBe('OIDC_DEVICE_EXPIRED');
  expect(op.asked('/token')).toBe(599);
});

test('the signal ends the wait at once', async () => {
  const { op, rp } = await device({ interval: 300 });
  const { pending } = await rp.startDeviceSignIn();
  const abort = new AbortController();
  const outcome = rp.finishDeviceSignIn(pending, { signal: abort.signal });
  abort.abort(new Error('the person went away'));
  await expect(outcome).rejects.toThrow('the person went away');
  await expect(rp.finishDeviceSignIn(pending, { signal: abort.signal })).rejects.toThrow('the person went away');
  expect(op.asked('/token')).toBe(0);
});

test.each([
  ['no device code', { device_code: undefined }],
  ['no user code', { user_code: 7 }],
  ['a user code that is markup over lines', { user_code: 'A\nB' }],
  ['no address', { verification_uri: undefined }],
  ['an address that is a script', { verification_uri: 'javascript:alert(1)' }],
  ['a complete address that is a script', { verification_uri_complete: 'javascript:alert(1)' }],
  ['an address without https', { verification_uri: 'http://op.example/device' }],
  ['no end', { expires_in: undefined }],
  ['an end in the past', { expires_in: -1 }],
  ['an interval that is text', { interval: 'often' }],
])('a device response with %s is refused', async (_fault, changes) => {
  const { rp } = await device(changes);
  expect((await errorOf(rp.startDeviceSignIn())).code).toBe('OIDC_DEVICE_RESPONSE');
});

test('what a provider may leave out or exaggerate', async () => {
  const { op, rp } = await device({ interval: undefined, expires_in: '86400', verification_uri_complete: null });
  const { pending, verificationUriComplete } = await rp.startDeviceSignIn();
  expect([pending.intervalSeconds, pending.expiresAt, verificationUriComplete]).toEqual([5, op.now + 3_600, undefined]);
});

test.each([null, {}, { deviceCode: 7 }, { intervalSeconds: 0 }, { issuer: 'https://evil.example' }, { expiresAt: '9' }])(
  'a device sign-in that came back as %j is refused',
  async changes => {
    const { op, rp } = await device();
    const { pending } = await rp.startDeviceSignIn();
    const kept = changes === null || Object.keys(changes).length === 0 ? changes : { ...pending, ...changes };
    expect((await errorOf(rp.finishDeviceSignIn(kept as PendingDeviceSignIn))).code).toBe('OIDC_PENDING_INVALID');
    expect(op.asked('/token')).toBe(0);
  },
);
