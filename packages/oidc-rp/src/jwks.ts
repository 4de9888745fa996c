import type { CachedDocument } from './cached-document.ts';
import { OidcError } from './errors.ts';
import { exchange, type HttpParts, readJsonAnswer, requireStatus } from './http.ts';
import { fitsAlgorithm, type PublishedKey, readPublishedKey } from './jwk.ts';

const maxCandidates = 4;

/** What the header of a token says about its key. */
export interface KeyHint {
  alg: string;
  kid: string | undefined;
}

/** Where the verification of a signature takes its keys from. */
export interface KeySource {
  /** The keys to try, at least one; at once where they are at hand. Throws, or rejects, when there is none. */
  find: (hint: KeyHint) => CryptoKey[] | Promise<CryptoKey[]>;
  /** Keys that appeared since, asked for when a token without `kid` fits none of the known ones. */
  findNewer?: (hint: KeyHint) => Promise<CryptoKey[]>;
}

/** Fetches and reads a key set. */
export async function fetchKeySet(parts: HttpParts, url: URL): Promise<PublishedKey[]> {
  const answer = await exchange(parts, {
    subject: 'jwks',
    url,
    maxBytes: parts.limits.maxJwksBytes,
    headers: { accept: 'application/json, application/jwk-set+json' },
  });
  requireStatus(answer, 200, 'jwks');
  const { keys } = readJsonAnswer(answer, 'jwks');
  if (!Array.isArray(keys)) throw new OidcError('OIDC_JWKS_INVALID', { check: 'jwks.keys', expected: 'an array' });
  if (keys.length > parts.limits.maxJwksKeys) {
    throw new OidcError('OIDC_JWKS_INVALID', {
      check: 'jwks.keys',
      expected: `at most ${parts.limits.maxJwksKeys} keys`,
      received: keys.length,
    });
  }
  return keys.map(readPublishedKey);
}

/**
 * The keys of the provider. A key id that is not there causes a refetch at once, then an answer: rotation must not lock
 * people out for a minute, and a flood of invented key ids must not become a flood of fetches (the bucket sees to that).
 */
export function publishedKeySource(document: CachedDocument<PublishedKey[]>): KeySource {
  const chosenBefore = new ChosenKeys();
  const findWaiting = async (hint: KeyHint): Promise<CryptoKey[]> => {
    const startedBefore = document.startedSerial;
    for (let keys = await document.get(); ; keys = await document.get()) {
      const chosen = choose(keys, hint);
      if (chosen.length > 0) return chosenBefore.keep(keys, hint, await Promise.all(chosen.map(key => imported(key, hint.alg))));
      // A set that was requested after the token came is the last word on the token's key id.
      if (document.loadedSerial > startedBefore || !(await reloaded(document))) throw unknown(hint);
    }
  };
  const find = (hint: KeyHint) => chosenBefore.find(document.fresh(), hint) ?? findWaiting(hint);
  const findNewer = async (hint: KeyHint): Promise<CryptoKey[]> => {
    if (!(await reloaded(document))) return [];
    const chosen = choose(await document.get(), hint);
    return Promise.all(chosen.map(key => imported(key, hint.alg)));
  };
  return { find, findNewer };
}

/** The choices made from the key set that is served now; a new set starts afresh. Only ids that are in the set get here. */
class ChosenKeys {
  #set: PublishedKey[] | undefined;
  readonly #chosen = new Map<string, CryptoKey[]>();

  find(set: PublishedKey[] | undefined, hint: KeyHint): CryptoKey[] | undefined {
    return set !== undefined && set === this.#set ? this.#chosen.get(choiceName(hint)) : undefined;
  }

  keep(set: PublishedKey[], hint: KeyHint, keys: CryptoKey[]): CryptoKey[] {
    if (set !== this.#set) this.#chosen.clear();
    this.#set = set;
    this.#chosen.set(choiceName(hint), keys);
    return keys;
  }
}

function choiceName(hint: KeyHint): string {
  return hint.kid === undefined ? hint.alg : `${hint.alg} ${hint.kid}`;
}

function choose(keys: PublishedKey[], hint: KeyHint): PublishedKey[] {
  return hint.kid === undefined ? chooseByKind(keys, hint) : chooseById(keys, hint);
}

function chooseById(keys: PublishedKey[], hint: KeyHint): PublishedKey[] {
  const named = keys.filter(key => key.kid === hint.kid);
  if (named.length === 0) return [];
  const usable = named.filter(key => key.fault === undefined && fitsAlgorithm(key, hint.alg));
  if (usable.length > 1)
    throw new OidcError('OIDC_KEY_AMBIGUOUS', { check: 'jwks.kid', expected: 'one key', received: usable.length });
  if (usable.length === 0) {
    const fault = named[0]!.fault ?? 'kty, crv or alg does not fit';
    throw new OidcError('OIDC_KEY_UNUSABLE', { check: 'jwks.key', expected: `a key for ${hint.alg}`, received: fault });
  }
  return usable;
}

function chooseByKind(keys: PublishedKey[], hint: KeyHint): PublishedKey[] {
  const usable = keys.filter(key => key.fault === undefined && fitsAlgorithm(key, hint.alg));
  if (usable.length > maxCandidates) {
    throw new OidcError('OIDC_KEY_AMBIGUOUS', {
      check: 'jwks.keys',
      expected: `at most ${maxCandidates} keys`,
      received: usable.length,
    });
  }
  return usable;
}

async function imported(key: PublishedKey, algorithm: string): Promise<CryptoKey> {
  try {
    return await key.import(algorithm);
  } catch (cause) {
    throw new OidcError('OIDC_KEY_UNUSABLE', { check: 'jwks.key', expected: `a key for ${algorithm}`, cause });
  }
}

async function reloaded(document: CachedDocument<PublishedKey[]>): Promise<boolean> {
  // With the provider down the token is as unknown as before; what we hold stays in use.
  return document.reload().catch(() => false);
}

function unknown(hint: KeyHint): OidcError {
  return new OidcError('OIDC_KEY_UNKNOWN', { check: 'jws.kid', received: hint.kid ?? 'no key id' });
}
