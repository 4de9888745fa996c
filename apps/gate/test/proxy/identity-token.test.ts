import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/read-config.ts';
import { corp, startGate, type TestGate, testKey } from '../support/gate.ts';
import { raw, sendRaw } from '../support/raw-request.ts';
import { sessionCookie } from '../support/session.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// An upstream that wants proof of where the headers come from gets a signed JWT about the person.

const pem = (curve = 'P-256') =>
  generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const keys = { OLD_KEY: pem(), NEW_KEY: pem() };
const env = { CLIENT_SECRET: 's', KEY_0: testKey, ...keys };
let upstream: Upstream;
let gate: TestGate;
let now = new Date();

beforeAll(async () => {
  upstream = await startUpstream();
  gate = await startGate(
    {
      upstream: upstream.origin,
      providers: [corp],
      rules: [
        { paths: ['/free/**'], allow: 'anyone' },
        { paths: ['/**'], allow: 'signed-in' },
      ],
      identityToken: { header: 'X-Identity', key: { env: 'OLD_KEY' }, audience: 'https://notes.example' },
    },
    { env, overrides: { now: () => now } },
  );
});

afterAll(async () => {
  for (const one of [gate, upstream]) await one?.[Symbol.asyncDispose]();
});

async function tokenFor(more: Parameters<typeof sessionCookie>[1] = {}): Promise<string> {
  const answer = await gate.fetch('/x', { headers: { cookie: await sessionCookie(gate, more) } });
  expect(answer.status).toBe(200);
  return String(upstream.seen.at(-1)?.headers['x-identity']);
}

const options = () => ({
  issuer: gate.origin,
  audience: 'https://notes.example',
  typ: 'gate-identity+jwt',
  algorithms: ['ES256'],
  currentDate: now,
});

describe('the identity JWT for the upstream', () => {
  test('names the person for one audience and one minute, signed by a published key', async () => {
    const { payload } = await jwtVerify(
      await tokenFor(),
      createRemoteJWKSet(new URL(`${gate.origin}/gate/jwks.json`)),
      options(),
    );
    const seconds = Math.floor(now.getTime() / 1000);
    expect(payload).toEqual({
      iss: gate.origin,
      aud: 'https://notes.example',
      sub: 'ada',
      iat: seconds,
      exp: seconds + 60,
      provider: 'corp',
      original_iss: 'https://op.example',
      email: 'ada@example.org',
      email_verified: true,
      name: 'Ada',
      groups: ['staff'],
    });
  });

  test('its keys may be kept for five minutes', async () => {
    const { headers } = await gate.fetch('/gate/jwks.json');
    expect([headers.get('cache-control'), headers.get('content-type')]).toEqual(['public, max-age=300', 'application/json']);
  });

  test('does not verify an email address that the provider has not verified', async () => {
    const keySet = createLocalJWKSet(await (await gate.fetch('/gate/jwks.json')).json());
    const { payload } = await jwtVerify(await tokenFor({ isEmailTrusted: false }), keySet, options());
    expect([payload.email, payload.email_verified]).toEqual([undefined, undefined]);
  });

  test('differs for each person, and is new a minute later', async () => {
    const keySet = createLocalJWKSet(await (await gate.fetch('/gate/jwks.json')).json());
    const [ada, bob] = [await tokenFor(), await tokenFor({ subject: 'bob' })];
    expect((await jwtVerify(bob, keySet, options())).payload.sub).toBe('bob');
    expect((await jwtVerify(ada, keySet, options())).payload.sub).toBe('ada');
    now = new Date(now.getTime() + 61_000);
    await expect(jwtVerify(ada, keySet, options())).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
    expect((await jwtVerify(await tokenFor(), keySet, options())).payload.sub).toBe('ada');
  });

  test('is refused with another audience or issuer, or a changed claim', async () => {
    const keySet = createLocalJWKSet(await (await gate.fetch('/gate/jwks.json')).json());
    const token = await tokenFor();
    await expect(jwtVerify(token, keySet, { ...options(), audience: 'https://wiki.example' })).rejects.toThrow(/aud/);
    await expect(jwtVerify(token, keySet, { ...options(), issuer: 'https://op.example' })).rejects.toThrow(/iss/);
    const [head, , signature] = token.split('.');
    const forged = Buffer.from(JSON.stringify({ sub: 'admin' })).toString('base64url');
    await expect(jwtVerify(`${head}.${forged}.${signature}`, keySet, options())).rejects.toMatchObject({
      code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    });
  });

  test.each(['X-Identity', 'x_identity', 'X.Identity', 'X-IDENTITY'])('removes %s that a client sends', async name => {
    for (const [path, more] of [
      ['/free/x', []],
      ['/x', [`Cookie: ${await sessionCookie(gate)}`]],
    ] as const) {
      await sendRaw(gate.origin, raw('GET', path, [...more, `${name}: spoofed`]));
      expect(upstream.seen.at(-1)?.rawHeaders.join('\n')).not.toContain('spoofed');
    }
    // Nobody is signed in: there is no token at all.
    await gate.fetch('/free/x');
    expect(upstream.seen.at(-1)?.headers['x-identity']).toBeUndefined();
  });

  test('publishes no private key', async () => {
    const { keys: published } = await (await gate.fetch('/gate/jwks.json')).json();
    expect(published.map((key: object) => Object.keys(key).sort())).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']]);
  });

  test('signs with a new key and publishes the old one while it is configured', async () => {
    const before = await tokenFor();
    const variables = { ...env, STORE: gate.store };
    const rotated = {
      ...gate.input,
      identityToken: {
        header: 'X-Identity',
        key: { env: 'NEW_KEY' },
        formerKeys: [{ env: 'OLD_KEY' }],
        audience: 'https://notes.example',
      },
    };
    await gate.app.reload(readConfig(JSON.stringify(rotated), variables));
    const keySet = createLocalJWKSet(await (await gate.fetch('/gate/jwks.json')).json());
    const after = await tokenFor();
    expect(decodeProtectedHeader(after).kid).not.toBe(decodeProtectedHeader(before).kid);
    for (const token of [before, after]) expect((await jwtVerify(token, keySet, options())).payload.sub).toBe('ada');
    const alone = {
      ...gate.input,
      identityToken: { header: 'X-Identity', key: { env: 'NEW_KEY' }, audience: 'https://notes.example' },
    };
    await gate.app.reload(readConfig(JSON.stringify(alone), variables));
    const { keys: published } = await (await gate.fetch('/gate/jwks.json')).json();
    expect(published).toMatchObject([{ x: createPublicKey(keys.NEW_KEY).export({ format: 'jwk' }).x }]);
    await gate.app.reload(readConfig(JSON.stringify(gate.input), variables));
  });

  test.each([
    ['not a key', 'nonsense', /identityToken\.key: is not a PEM private key/],
    ['a key on another curve', pem('P-384'), /identityToken\.key: must be on the curve P-256/],
  ])('refuses by name: %s', (_name, key, message) => {
    const variables = { ...env, STORE: gate.store, OLD_KEY: key };
    expect(() => readConfig(JSON.stringify(gate.input), variables)).toThrow(message);
  });
});
