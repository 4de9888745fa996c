import { describe, expect, test, vi } from 'vitest';
import { countTimers } from '../../../../tools/own-timers.ts';
import { readStepUpChallenge } from '../../src/index.ts';
import { waitFor } from '../../src/sign-in/wait.ts';
import { errorOf, without } from '../support/expect-refused.ts';
import { FakeOp } from '../support/fake-op.ts';

// The edges of the grants without a browser: lengths, kinds and the words that name what was wrong.

const device = {
  device_code: 'device-code',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://op.example/device',
  expires_in: 600,
};

async function provider(endpoints: Record<string, string>, answers: FakeOp['more'] = {}) {
  const op = await FakeOp.start();
  const named = Object.fromEntries(Object.entries(endpoints).map(([name, path]) => [name, op.issuer + path]));
  op.faults.metadata = document => ({ ...document, ...named });
  op.more = answers;
  return op;
}

async function started(changes: Record<string, unknown>, options: { dangerouslyAllowLoopbackHttp?: boolean } = {}) {
  const answer = () => Response.json(without({ ...device, ...changes }));
  const op = await provider({ device_authorization_endpoint: '/device' }, { '/device': answer });
  return { op, work: op.relyingParty(options).startDeviceSignIn() };
}

describe('the device authorization response', () => {
  test.each<[string, Record<string, unknown>, boolean?]>([
    ['a code to show of 200 characters', { user_code: 'x'.repeat(200) }],
    ['a code of the device of 8,192', { device_code: 'x'.repeat(8192) }],
    ['an address of 2,048', { verification_uri: `https://op.example/${'x'.repeat(2029)}` }],
    ['seconds as text', { expires_in: '600', interval: '7' }],
    ['a loopback address where it is allowed', { verification_uri: 'http://127.0.0.1:1/device' }, true],
  ])('accepts %s', async (_what, changes, local = false) => {
    const { work } = await started(changes, { dangerouslyAllowLoopbackHttp: local });
    const { pending, ...shown } = await work;
    for (const [name, value] of Object.entries({
      user_code: shown.userCode,
      device_code: pending.deviceCode,
      verification_uri: shown.verificationUri,
    }))
      if (name in changes) expect(value).toBe(changes[name]);
    expect(pending.expiresAt - pending.startedAt).toBe(600);
    if ('interval' in changes) expect(pending.intervalSeconds).toBe(7);
  });

  test.each<[string, Record<string, unknown>, string, boolean?]>([
    ['a code to show of 201 characters', { user_code: 'x'.repeat(201) }, 'user_code'],
    ['an empty one', { user_code: '' }, 'user_code'],
    ['a code of the device of 8,193', { device_code: 'x'.repeat(8193) }, 'device_code'],
    ['an address of 2,049', { verification_uri: `https://op.example/${'x'.repeat(2030)}` }, 'verification_uri'],
    ['an address that is a number', { verification_uri: 7 }, 'verification_uri'],
    ['an address with a name in it', { verification_uri: 'https://a@op.example/device' }, 'verification_uri'],
    ['a second address that runs', { verification_uri_complete: 'javascript:alert(1)' }, 'verification_uri_complete'],
    ['a loopback address', { verification_uri: 'http://127.0.0.1:1/device' }, 'verification_uri'],
    ['http elsewhere where loopback is allowed', { verification_uri: 'http://op.example/device' }, 'verification_uri', true],
    ['a host that ends like loopback', { verification_uri: 'http://notlocalhost/device' }, 'verification_uri', true],
    ['a host that begins like it', { verification_uri: 'http://localhost.evil.example/device' }, 'verification_uri', true],
    ['a lifetime of nothing', { expires_in: 0 }, 'expires_in'],
    ['a lifetime with words before it', { expires_in: 'in 600' }, 'expires_in'],
    ['a lifetime with words behind it', { expires_in: '600s' }, 'expires_in'],
    ['a lifetime that is a list', { expires_in: [600] }, 'expires_in'],
    ['a lifetime that is true', { expires_in: true }, 'expires_in'],
    ['an interval below zero', { interval: -1 }, 'interval'],
  ])('refuses %s by name', async (_what, changes, member, local = false) => {
    const { work } = await started(changes, { dangerouslyAllowLoopbackHttp: local });
    expect((await errorOf(work)).check).toContain(member);
  });

  test('refuses a lifetime that no number can hold', async () => {
    const text = JSON.stringify(device).replace('"expires_in":600', '"expires_in":1e400');
    expect(text).toContain('1e400');
    const answer = () => new Response(text, { headers: { 'content-type': 'application/json' } });
    const op = await provider({ device_authorization_endpoint: '/device' }, { '/device': answer });
    expect((await errorOf(op.relyingParty().startDeviceSignIn())).check).toContain('expires_in');
  });

  test('is requested with the configured scopes only', async () => {
    const { op, work } = await started({});
    await work;
    expect(op.bodies.at(-1)!.get('scope')).toBe('openid');
  });

  test.each([
    ['a request', { scope: ['a'] }, 'request.scope'],
    ['parameters', { tokenParameters: { client_id: 'x' } }, 'request.tokenParameters'],
  ])('refuses invalid %s by path', async (_what, request, path) => {
    const op = await provider({ device_authorization_endpoint: '/device' });
    expect((await errorOf(op.relyingParty().startDeviceSignIn(request as never))).check).toContain(path);
  });
});

describe('introspection', () => {
  const asked = async (answer: Record<string, unknown>, clockToleranceSeconds = 0) => {
    const op = await provider({ introspection_endpoint: '/introspect' }, { '/introspect': () => Response.json(answer) });
    return { op, work: op.relyingParty({ clockToleranceSeconds }).introspect('the token') };
  };

  test('sends no hint if none is given', async () => {
    const { op, work } = await asked({ active: true });
    expect(await work).toEqual({ active: true });
    expect([...op.bodies.at(-1)!.keys()].includes('token_type_hint')).toBe(false);
  });

  test.each([
    [0, 0, false],
    [1, 0, true],
    [-29, 30, true],
    [-30, 30, false],
  ])('checks a token that ends in %i seconds, with a tolerance of %i', async (inSeconds, tolerance, active) => {
    const { now } = await FakeOp.start();
    const { work } = await asked({ active: true, exp: now + inSeconds }, tolerance);
    expect((await work).active).toBe(active);
  });

  test('refuses an expiry that is not a finite number', async () => {
    expect((await errorOf((await asked({ active: true, exp: '9999999999' })).work)).check).toBe('introspection.exp');
    // JSON has numbers that are none in JavaScript: such a token would never end.
    const headers = { 'content-type': 'application/json' };
    const endless = () => new Response('{"active":true,"exp":1e400}', { headers });
    const op = await provider({ introspection_endpoint: '/introspect' }, { '/introspect': endless });
    expect((await errorOf(op.relyingParty().introspect('the token'))).check).toBe('introspection.exp');
  });
});

describe('client credentials and token exchange', () => {
  const exchange = { subjectToken: 's', subjectTokenType: 'urn:ietf:params:oauth:token-type:access_token' };
  const granted = () => Response.json({ access_token: 'at', token_type: 'Bearer', issued_token_type: 'urn:x' });

  test('sends only what is given, with one audience or several', async () => {
    const op = await provider({}, { '/token': granted });
    const rp = op.relyingParty();
    await rp.exchangeToken(exchange);
    expect([...op.bodies.at(-1)!.keys()].sort()).toEqual(
      ['client_id', 'grant_type', 'subject_token', 'subject_token_type'].sort(),
    );
    await rp.exchangeToken({ ...exchange, audience: 'one' });
    expect(op.bodies.at(-1)!.getAll('audience')).toEqual(['one']);
    await rp.exchangeToken({ ...exchange, audience: ['one', 'two'] });
    expect(op.bodies.at(-1)!.getAll('audience')).toEqual(['one', 'two']);
  });

  test.each([
    ['a number as audience', { ...exchange, audience: 7 }, 'expected an array of strings'],
    ['an unknown member', { ...exchange, audiences: [] }, 'request.audiences'],
  ])('refuses %s by its path', async (_what, request, words) => {
    const error = await errorOf((await provider({})).relyingParty().exchangeToken(request as never));
    expect(error.code).toBe('OIDC_CONFIG_INVALID');
    expect(`${error.check} ${error.message}`).toContain(words.replace('expected ', ''));
  });

  test('refuses an actor token without its type', async () => {
    const error = await errorOf((await provider({})).relyingParty().exchangeToken({ ...exchange, actorToken: 'a' }));
    expect(error).toMatchObject({ code: 'OIDC_CONFIG_INVALID', check: 'request.actorTokenType' });
  });

  test('refuses an unknown member for client credentials', async () => {
    const work = (await provider({})).relyingParty().requestClientCredentials({ scope: [] } as never);
    expect((await errorOf(work)).check).toBe('request.scope');
  });
});

describe('a demand for a stronger sign-in', () => {
  const demand = 'Bearer error="insufficient_user_authentication"';

  test('ignores spaces around words', () => {
    expect(readStepUpChallenge(`${demand}, acr_values=" gold  silver ", scope=" pay "`)).toEqual({
      acrValues: ['gold', 'silver'],
      requireAcr: true,
      scopes: ['pay'],
    });
    expect(readStepUpChallenge(`${demand}, acr_values=" ", scope=""`)).toEqual({});
  });

  test('keeps the character after a backslash in quoted text', () => {
    expect(readStepUpChallenge(`${demand}, scope="p\\ay"`)).toEqual({ scopes: ['pay'] });
  });

  test('is read up to 8,192 characters', () => {
    const padded = (length: number) => `${demand}, x="${'a'.repeat(length - demand.length - 6)}"`;
    expect(padded(8192)).toHaveLength(8192);
    expect(readStepUpChallenge(padded(8192))).toEqual({});
    expect(readStepUpChallenge(padded(8193))).toBeUndefined();
  });

  test.each(['5s', 's5', '-1', '1.5', '12345678901', ' '])('refuses a max_age of %j', async maxAge => {
    expect((await errorOf(Promise.resolve().then(() => readStepUpChallenge(`${demand}, max_age="${maxAge}"`)))).check).toBe(
      'challenge.max_age',
    );
  });

  test('reads a max_age of several digits', () => {
    expect(readStepUpChallenge(`${demand}, max_age="86400"`)).toEqual({ maxAgeSeconds: 86_400 });
  });
});

describe('waiting', () => {
  test('waits the given seconds and leaves no timer or listener', async () => {
    vi.useFakeTimers();
    const timersLeft = countTimers('/src/sign-in/wait.ts');
    try {
      const controller = new AbortController();
      const removed = vi.spyOn(controller.signal, 'removeEventListener');
      let over = false;
      const waiting = waitFor(5, controller.signal).then(() => {
        over = true;
      });
      await vi.advanceTimersByTimeAsync(4999);
      expect([over, timersLeft()]).toEqual([false, 1]);
      await vi.advanceTimersByTimeAsync(1);
      await waiting;
      expect(removed).toHaveBeenCalledOnce();
      expect(timersLeft()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('ends with the reason of the signal, before and during the wait', async () => {
    vi.useFakeTimers();
    const timersLeft = countTimers('/src/sign-in/wait.ts');
    try {
      await expect(waitFor(5, AbortSignal.abort(new Error('gone before')))).rejects.toThrow('gone before');
      const controller = new AbortController();
      const waiting = waitFor(5, controller.signal);
      controller.abort(new Error('gone'));
      await expect(waiting).rejects.toThrow('gone');
      expect(timersLeft()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
