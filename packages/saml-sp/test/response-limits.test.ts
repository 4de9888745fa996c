import { XmlDocument } from 'libxml2-wasm';
import { describe, expect, test } from 'vitest';
import { SamlError } from '../src/errors.ts';
import {
  directoryOf,
  findEndpoint,
  findIdentityProvider,
  identityProviderReader,
  requireIdentityProvider,
} from '../src/idp/identity-provider.ts';
import { readPendingSignIn, readPendingSignOut } from '../src/sign-in/pending.ts';
import { countsOf } from '../src/sign-in/response.ts';
import { MemoryReplayStore } from '../src/sp/replay.ts';
import { readShape } from '../src/values/shape.ts';
import { testKey } from './support/keys.ts';
import { refusalIn } from './support/refusal.ts';
import { buildResponse } from './support/response.ts';
import { createServiceProvider, idp, knownIdp, now, otherIdp, pending, pendingLogout, postResponse } from './support/world.ts';

// The limits of what a Response is held against: the sign-in under way, the provider that was asked, what was used before.

describe('a pending sign-in', () => {
  const read = (change: object) => readPendingSignIn({ ...pending, ...change });

  test.each([
    ['requestId', '_', 'a'.repeat(200), ['', '1a', ` ${'a'.repeat(9)}`, 'a b', 'a'.repeat(201)]],
    ['relayState', 'r', 'r'.repeat(80), ['', 'r'.repeat(81)]],
    ['identityProvider', 'i', 'i'.repeat(1024), ['', 'i'.repeat(1025)]],
    ['startedAt', 0, 253_402_300_799, [-1, 253_402_300_800]],
  ] as const)('%s from %j to %j', (member, least, most, wrong) => {
    for (const value of [least, most]) expect(read({ [member]: value })).toMatchObject({ [member]: value });
    for (const value of wrong) {
      expect(() => read({ [member]: value })).toThrow(
        refusalIn('SAML_PENDING_INVALID', new RegExp(`^pending\\.${member}: expected `)),
      );
    }
  });

  test('a sign-out says where it is damaged', () => {
    expect(() => readPendingSignOut({ ...pendingLogout, requestId: '' })).toThrow(
      refusalIn('SAML_PENDING_INVALID', /^pending\.requestId: expected a message ID/),
    );
    expect(() => readPendingSignOut(null)).toThrow(refusalIn('SAML_PENDING_INVALID', /^pending: expected an object/));
  });

  test.each([0, 1])('the answer may be as old as the request less the tolerance, which is 60 s (%i s older)', async older => {
    const startedAt = now.getTime() / 1000 - 5 + 60 + older;
    const finished = createServiceProvider().finishSignIn(postResponse(buildResponse()), {
      ...pending,
      startedAt,
      expiresAt: startedAt + 600,
    });
    if (older > 0)
      await expect(finished).rejects.toMatchObject({
        code: 'SAML_ISSUE_INSTANT',
        message: 'the Response is older than the request',
      });
    else await expect(finished).resolves.toMatchObject({ inResponseTo: pending.requestId, relayState: undefined });
  });
});

describe('an identity provider', () => {
  const read = (change: object) => readShape({ ...knownIdp(), ...change }, 'idp', identityProviderReader);

  test.each([
    ['validUntil', new Date(Number.NaN), /^idp\.validUntil: expected a Date/],
    ['validUntil', '2026-11-20', /^idp\.validUntil: expected a Date/],
    ['signingKeys', [testKey('idp').privateKey], /^idp\.signingKeys\[0\]: expected a public KeyObject/],
    ['encryptionKeys', [{ type: 'public' }], /^idp\.encryptionKeys\[0\]: expected a public KeyObject/],
    ['entityId', '', /^idp\.entityId: expected an entity ID/],
    ['entityId', 'x'.repeat(1025), /^idp\.entityId: expected an entity ID/],
    ['artifactResolution', [{ index: 65_536, location: idp.sso }], /index: expected a number from 0 to 65535/],
  ])('%s %j: refused', (member, value, words) => {
    expect(() => read({ [member]: value })).toThrow(refusalIn('SAML_CONFIG_INVALID', words));
  });

  test('at its limits: read', () => {
    const validUntil = new Date('2027-01-01');
    expect(read({ validUntil, entityId: 'x'.repeat(1024), encryptionKeys: knownIdp().signingKeys })).toMatchObject({
      validUntil,
    });
  });

  test('two of one name: refused in words', () => {
    expect(() => directoryOf([knownIdp(), knownIdp()])).toThrow(
      refusalIn('SAML_CONFIG_INVALID', /two identity providers have the same entity ID/),
    );
    expect(directoryOf([knownIdp(), otherIdp()]).find(idp.entityId)).toEqual(knownIdp());
  });

  test('a directory that breaks down is an outage; what it refuses itself stays what it is', async () => {
    const cause = new Error('database');
    const broken = (error: Error) => ({ find: () => Promise.reject(error) });
    await expect(findIdentityProvider(broken(cause), 'x')).rejects.toMatchObject({
      code: 'SAML_STORE_UNAVAILABLE',
      message: 'the directory of identity providers did not respond',
      cause,
    });
    const own = new SamlError('SAML_METADATA_EXPIRED', 'over');
    await expect(findIdentityProvider(broken(own), 'x')).rejects.toBe(own);
  });

  test.each([
    [0, 'SAML_METADATA_EXPIRED'],
    [-1, 'SAML_METADATA_EXPIRED'],
    [1, undefined],
  ])('metadata that runs out in %i ms: %s', async (left, code) => {
    const provider = { ...knownIdp(), validUntil: new Date(now.getTime() + left) };
    const asked = requireIdentityProvider(directoryOf([provider]), idp.entityId, now);
    if (code === undefined) await expect(asked).resolves.toEqual(provider);
    else await expect(asked).rejects.toMatchObject({ code, message: expect.stringContaining('has expired') });
  });

  test('the first wanted binding that it offers, or none', () => {
    const endpoint = (binding: string) => ({ binding, location: `https://idp.example.edu/${binding}`, responseLocation: '' });
    const offered = [endpoint('a'), endpoint('b')];
    expect(findEndpoint(offered, ['z', 'b', 'a'])).toBe(offered[1]);
    expect(findEndpoint(offered, ['z'])).toBeUndefined();
  });
});

describe('the memory of what was used', () => {
  test('a claim ends when its time has come, not before', () => {
    let time = 0;
    const store = new MemoryReplayStore({ now: () => new Date(time) });
    expect(store.claim('k', new Date(10))).toBe(true);
    time = 9;
    expect(store.claim('k', new Date(10))).toBe(false);
    time = 10;
    expect(store.claim('k', new Date(20))).toBe(true);
  });

  test('it is swept every 30 s, and at once when it is full', () => {
    let time = 0;
    const store = new MemoryReplayStore({ now: () => new Date(time), maxEntries: 3 });
    store.claim('a', new Date(10));
    time = 10;
    store.claim('b', new Date(100_000));
    expect(store.size).toBe(2);
    time = 30_000;
    store.claim('c', new Date(30_001));
    expect(store.size).toBe(2);
    time = 30_001;
    store.claim('d', new Date(100_000));
    expect(store.size).toBe(3);
    store.claim('e', new Date(100_000));
    expect(store.size).toBe(3);
    expect(() => store.claim('f', new Date(100_000))).toThrow(refusalIn('SAML_STORE_UNAVAILABLE', /full/));
  });

  test('what it is not made with is refused', () => {
    expect(() => new MemoryReplayStore({ maxEntries: 0 })).toThrow(refusalIn('SAML_CONFIG_INVALID', /^options\.maxEntries: /));
  });
});

describe('an outage after the request was used up', () => {
  const claims = async (fails: (key: string) => Error | false, kept: typeof pending | undefined = pending) => {
    const log: string[] = [];
    const replayStore = {
      claim: (key: string) => {
        log.push(key.replace(/:.*/, ''));
        const error = fails(key);
        if (error !== false) throw error;
        return true;
      },
      release: (key: string) => void log.push(`release ${key.replace(/:.*/, '')}`),
    };
    const identityProviders = [knownIdp({ dangerouslyAllowUnsolicited: true })];
    await createServiceProvider({ replayStore, identityProviders })
      .finishSignIn(postResponse(buildResponse()), kept)
      .catch((error: { code?: string }) => log.push(error.code ?? 'crash'));
    return log;
  };

  test('gives the request back, and nothing else does', async () => {
    const down = (key: string) => key.startsWith('assertion') && new Error('down');
    expect(await claims(down)).toEqual(['request', 'assertion', 'release request', 'SAML_STORE_UNAVAILABLE']);
    expect(await claims(() => false)).toEqual(['request', 'assertion']);
    const replayed = (key: string) => key.startsWith('assertion') && new SamlError('SAML_REPLAYED', 'used');
    expect(await claims(replayed)).toEqual(['request', 'assertion', 'SAML_REPLAYED']);
  });
});

test('a Response with two assertions is refused where they are counted', () => {
  const counted = (xml: string) => {
    using document = XmlDocument.fromString(xml);
    return countsOf(document.root);
  };
  const xml = String(buildResponse());
  expect(counted(xml)).toEqual({ assertions: 1, signatures: 2 });
  const twice = xml.replace(/<saml:Assertion .*<\/saml:Assertion>/s, found => found.repeat(2));
  expect(() => counted(twice)).toThrow(refusalIn('SAML_STRUCTURE', /exactly one assertion/));
});
