import { OidcError } from '@octavo/oidc-rp';
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OidcDoor } from '../sign-in/oidc.ts';
import { AccessTokens, readBearer } from './access-tokens.ts';

const issuer = 'https://op.example';
const start = 1_700_000_000;
let ms: number;
let keys: CryptoKeyPair;
let tokens: AccessTokens;
/** What each provider does; by id. */
let introspect: (id: string, token: string) => Promise<unknown>;
let findKey: (id: string) => Promise<CryptoKey | undefined>;
let asked: string[];

beforeAll(async () => {
  keys = await generateKeyPair('ES256');
});

beforeEach(() => {
  ms = start * 1000;
  asked = [];
  introspect = async () => ({ active: false });
  findKey = async () => keys.publicKey;
  const jwt = { audience: 'api', algorithms: ['ES256'], cacheSeconds: 60 };
  tokens = new AccessTokens(
    [
      door('corp', issuer, jwt),
      door('twin', issuer, { ...jwt, audience: 'twin api' }),
      door('lab', 'https://lab.example', { ...jwt, introspection: true, cacheSeconds: 7 }),
      door('also', 'https://also.example', { ...jwt, introspection: true }),
      door('none', 'https://none.example', undefined),
    ],
    () => new Date(ms),
  );
});

function door(id: string, of: string, accessTokens: object | undefined): OidcDoor {
  const config = {
    id,
    clientId: `client of ${id}`,
    groupsClaim: 'groups',
    claims: [],
    trustedEmailDomains: [],
    clockToleranceSeconds: 30,
  };
  return {
    id,
    issuer: of,
    config: { ...config, accessTokens },
    findKey: () => findKey(id),
    introspect: async (token: string) => {
      asked.push(`${id} ${token}`);
      return introspect(id, token);
    },
  } as unknown as OidcDoor;
}

const good = { iss: issuer, aud: 'api', sub: 'robot', client_id: 'script', iat: start, exp: start + 60, jti: 'j', scope: 'a' };
const sign = (claims: object = {}, typ: string | undefined = 'at+jwt') =>
  new SignJWT({ ...good, ...claims } as JWTPayload)
    .setProtectedHeader({ alg: 'ES256', ...(typ === undefined ? {} : { typ }) })
    .sign(keys.privateKey);
const read = (
  token: string,
  providers: string[] = ['corp'],
  isEnough: (subject: string, provider: string) => boolean = () => true,
) =>
  tokens.read(token, {
    demands: providers.map(provider => ({ provider, audience: 'api', scopes: [] })),
    source: 'a',
    isEnough: identity => isEnough(identity.subject, identity.provider),
  });
/** Why a token is refused. */
const refusalOf = (token: string, providers?: string[]) =>
  read(token, providers).then(
    () => 'accepted',
    error => `${error.code}${error.detail === undefined ? '' : `: ${error.detail}`}`,
  );

test.each([
  ['Bearer abc', 'abc'],
  ['bearer   a.b-c_d~e+f/g==  ', 'a.b-c_d~e+f/g=='],
  ['Bearer', undefined],
  ['Bearer ', undefined],
  ['Bearerabc', undefined],
  ['Bearer a b', undefined],
  ['Bearer a,b', undefined],
  ['Basic abc', undefined],
  ['x Bearer abc', undefined],
  ['', undefined],
  [undefined, undefined],
])('the credentials %j hold the token %j', (header, token) => expect(readBearer(header)).toBe(token));

describe('a JWT', () => {
  test('lets in whom it names, until it ends', async () => {
    const token = await read(await sign());
    expect(token.identity).toMatchObject({ provider: 'corp', issuer, subject: 'robot', scopes: ['a'] });
    expect([token.expiresAt, token.toleranceMs, token.opaque]).toEqual([(start + 60) * 1000, 30_000, undefined]);
  });

  test.each([
    ['as late as the tolerance lets it', {}, 'at+jwt', 89, 'accepted'],
    ['later', {}, 'at+jwt', 90, 'TOKEN_REFUSED: it has expired'],
    ['of the long type', {}, 'application/AT+JWT', 0, 'accepted'],
    ['of another type', {}, 'jwt', 0, 'TOKEN_REFUSED'],
    ['of no type', {}, undefined, 0, 'TOKEN_REFUSED'],
    ['of another issuer', { iss: 'https://evil.example' }, 'at+jwt', 0, 'TOKEN_REFUSED: its issuer is not a configured provider'],
    ['for others', { aud: 'other' }, 'at+jwt', 0, 'TOKEN_REFUSED'],
    ['of nobody', { sub: '' }, 'at+jwt', 0, 'TOKEN_REFUSED: it has no subject (sub)'],
    ['of a number', { sub: 7 }, 'at+jwt', 0, 'TOKEN_REFUSED: it has no subject (sub)'],
    [
      'bound to a key',
      { cnf: { jkt: 'x' } },
      'at+jwt',
      0,
      'TOKEN_REFUSED: it is bound to a key or a certificate, which the gate cannot check',
    ],
    ['of no client', { client_id: undefined }, 'at+jwt', 0, 'TOKEN_REFUSED'],
    ['without a beginning', { iat: undefined }, 'at+jwt', 0, 'TOKEN_REFUSED'],
    ['without a name', { jti: undefined }, 'at+jwt', 0, 'TOKEN_REFUSED'],
    ['without an end', { exp: undefined }, 'at+jwt', 0, 'TOKEN_REFUSED'],
    ['an ID Token: addressed to us', { aud: ['x', 'client of corp'] }, 'jwt', 0, 'ID_TOKEN_AS_CREDENTIAL'],
    ['an ID Token: a nonce', { nonce: 'n' }, undefined, 0, 'ID_TOKEN_AS_CREDENTIAL'],
    ['an ID Token: at_hash', { at_hash: 'h' }, undefined, 0, 'ID_TOKEN_AS_CREDENTIAL'],
    ['an ID Token: c_hash', { c_hash: 'h' }, undefined, 0, 'ID_TOKEN_AS_CREDENTIAL'],
    ['an ID Token: auth_time', { auth_time: 1 }, undefined, 0, 'ID_TOKEN_AS_CREDENTIAL'],
    ['an access token with a nonce', { nonce: 'n' }, 'at+jwt', 0, 'accepted'],
  ])('%s: %j of type %s after %d s: %5$s', async (_name, claims, typ, after, verdict) => {
    ms += after * 1000;
    const header = typ === undefined ? { alg: 'ES256' } : { alg: 'ES256', typ };
    const token = await new SignJWT({ ...good, ...claims } as unknown as JWTPayload)
      .setProtectedHeader(header)
      .sign(keys.privateKey);
    expect(await refusalOf(token)).toBe(verdict);
  });

  test('that cannot be read is none', async () => {
    expect(await refusalOf('a.b.c')).toBe('TOKEN_REFUSED: it is not a JWT');
  });

  test('by a stranger’s key, or by one that nobody knows, is refused; a key set that is down is no refusal', async () => {
    const stranger = await generateKeyPair('ES256');
    findKey = async () => stranger.publicKey;
    expect(await refusalOf(await sign())).toBe('TOKEN_REFUSED');
    findKey = async () => undefined;
    expect(await refusalOf(await sign())).toBe('TOKEN_REFUSED: it names no key (kid), and its provider has several');
    findKey = async () => {
      throw new Error('down');
    };
    expect(await refusalOf(await sign())).toBe('PROVIDER_DOWN');
  });

  test('counts only at the providers of the rule, each with its own audience', async () => {
    expect(await refusalOf(await sign(), ['lab'])).toBe('TOKEN_REFUSED: its issuer is not a configured provider');
    expect(await refusalOf(await sign(), [])).toBe('TOKEN_REFUSED: its issuer is not a configured provider');
    expect(await refusalOf(await sign(), ['unknown'])).toBe('TOKEN_REFUSED: its issuer is not a configured provider');
    expect(await refusalOf(await sign(), ['twin'])).toBe('TOKEN_REFUSED');
    expect((await read(await sign({ aud: 'twin api' }), ['corp', 'twin'])).identity.provider).toBe('twin');
    expect(await refusalOf(await sign({ iss: 'https://none.example' }), ['none'])).toBe('TOKEN_REFUSED');
    expect(asked).toEqual([]);
  });

  test('that several accept counts for the first that is enough, else for the first', async () => {
    const both = await sign({ aud: ['api', 'twin api'] });
    const providerOf = async (isEnough: (provider: string) => boolean) =>
      (await read(both, ['corp', 'twin'], (_subject, provider) => isEnough(provider))).identity.provider;
    expect(await providerOf(provider => provider === 'twin')).toBe('twin');
    expect(await providerOf(() => false)).toBe('corp');
  });
});

describe('an opaque token', () => {
  test('is a question to the providers of the rule that answer such', async () => {
    introspect = async id => (id === 'also' ? { active: true, sub: 'robot' } : { active: false });
    const providers = ['corp', 'none', 'lab', 'lab', 'also'];
    expect((await read('opaque', providers)).identity.provider).toBe('also');
    expect(asked).toEqual(['lab opaque', 'also opaque']);
    expect(await refusalOf('opaque', ['lab'])).toBe('TOKEN_REFUSED');
    expect(await refusalOf('opaque', ['corp', 'none'])).toBe('TOKEN_REFUSED');
    expect(await refusalOf('two.parts', ['corp'])).toBe('TOKEN_REFUSED');
  });

  test('of more than 16,384 characters is none', async () => {
    introspect = async () => ({ active: true, sub: 'robot' });
    expect(await refusalOf('o'.repeat(16_384), ['lab'])).toBe('accepted');
    expect(await refusalOf('o'.repeat(16_385), ['lab'])).toBe('TOKEN_REFUSED: it is too long');
  });

  test('a provider that could not be asked might have said yes', async () => {
    introspect = async id => {
      if (id === 'lab') throw new Error('down');
      return { active: false };
    };
    expect(await refusalOf('one', ['lab', 'also'])).toBe('PROVIDER_DOWN');
    expect(await refusalOf('two', ['also', 'lab'])).toBe('PROVIDER_DOWN');
    introspect = async id => {
      if (id === 'also') throw new Error('down');
      return { active: true, sub: 'robot' };
    };
    expect((await read('three', ['also', 'lab'], () => false)).identity.provider).toBe('lab');
  });

  test('is asked about again while it is open, as long as its provider answers such', async () => {
    introspect = async () => ({ active: true, sub: 'robot' });
    const { opaque } = await read('opaque', ['lab']);
    expect(tokens.lastAnswerAt(opaque!)).toBe(ms);
    expect(await tokens.isStillGood(opaque!)).toBe(true);
    introspect = async () => ({ active: false });
    expect(await tokens.isStillGood(opaque!)).toBe(false);
    expect(asked).toHaveLength(3);
    for (const provider of ['corp', 'none', 'unknown']) expect(await tokens.isStillGood({ ...opaque!, provider })).toBe(false);
    expect(asked).toHaveLength(3);
    expect(tokens.lastAnswerAt(opaque!)).toBe('refused');
    expect([tokens.cacheMs('lab'), tokens.cacheMs('none'), tokens.cacheMs('unknown')]).toEqual([7_000, 0, 0]);
  });
});

test('of two refusals, the one with a reason says more', async () => {
  const token = await sign({ aud: 'twin api', sub: '' });
  expect(await refusalOf(token, ['corp', 'twin'])).toBe('TOKEN_REFUSED: it has no subject (sub)');
  expect(await refusalOf(token, ['twin', 'corp'])).toBe('TOKEN_REFUSED: it has no subject (sub)');
});

test('an ID Token of any provider with this issuer is none, though another one could read it', async () => {
  const token = await sign({ aud: 'client of corp' }, 'jwt');
  for (const providers of [
    ['corp', 'twin'],
    ['twin', 'corp'],
  ])
    expect(await refusalOf(token, providers)).toBe('ID_TOKEN_AS_CREDENTIAL');
});

test('a provider that is down says more than one that refuses, whatever its reason', async () => {
  findKey = async id => {
    if (id === 'corp') throw new Error('down');
    return keys.publicKey;
  };
  const token = await sign({ aud: 'twin api', sub: '' });
  for (const providers of [
    ['corp', 'twin'],
    ['twin', 'corp'],
  ])
    expect(await refusalOf(token, providers)).toBe('PROVIDER_DOWN');
});

test('what the package says of a provider is a refusal or an outage, which may say how long', async () => {
  findKey = async () => {
    throw new OidcError('OIDC_KEY_UNKNOWN', { check: 'the key' });
  };
  expect(await refusalOf(await sign())).toBe('TOKEN_REFUSED');
  introspect = async () => {
    throw new OidcError('OIDC_HTTP_TIMEOUT', { check: 'the answer', retryAfterSeconds: 7 });
  };
  await expect(read('opaque', ['lab'])).rejects.toMatchObject({ code: 'PROVIDER_DOWN', retryAfterSeconds: 7 });
});
