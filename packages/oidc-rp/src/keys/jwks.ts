import { decodeJwt } from 'jose';
import { OidcError } from '../errors.ts';
import { cacheSeconds } from '../http/cache-control.ts';
import type { CachedDocument, Loaded } from '../http/cached-document.ts';
import type { GrowingPause } from '../http/growing-pause.ts';
import { exchange, type HttpParts, readJsonAnswer, requireStatus } from '../http/http.ts';
import type { TokenBucket } from '../http/token-bucket.ts';
import type { IssuerRule } from '../issuer/issuer-rule.ts';
import { isJsonObject } from '../values/json.ts';
import { fitsAlgorithm, type PublishedKey, readPublishedKey } from './jwk.ts';

const maxCandidates = 4;

/** The facts in a token's header about its key. */
export interface KeyHint {
  alg: string;
  kid: string | undefined;
  /** The token itself, unverified. */
  token?: string;
}

/** Reads what a header says, which anybody may have written. */
export function readKeyHint(header: { alg?: unknown; kid?: unknown }, token: string | undefined): KeyHint {
  if (!isJsonObject(header)) throw new OidcError('OIDC_JWT_HEADER', { check: 'header', expected: 'an object' });
  const { alg, kid } = header;
  const stranger = typeof alg !== 'string' ? 'alg' : kid !== undefined && typeof kid !== 'string' ? 'kid' : undefined;
  if (stranger !== undefined) throw new OidcError('OIDC_JWT_HEADER', { check: `header.${stranger}`, expected: 'text' });
  return { alg: alg as string, kid: kid as string | undefined, ...(token === undefined ? {} : { token }) };
}

/** Where signature verification gets its keys. */
export interface KeySource {
  /**
   * The keys to try, at least one; synchronously if they are loaded. Throws, or rejects, when there is none: permanently if the
   * key set was requested after the token came, with status 503 if it could not be requested, or not so soon again.
   */
  find: (hint: KeyHint) => CryptoKey[] | Promise<CryptoKey[]>;
  /**
   * Keys that have appeared since, asked for when a token verifies with none of those tried. The next keys are looked for only when
   * these did not verify it either.
   */
  findNewer?: (hint: KeyHint, tried: readonly CryptoKey[]) => AsyncIterable<CryptoKey[]>;
}

/** Fetches and reads a key set. */
export async function fetchKeySet(parts: HttpParts, url: URL): Promise<Loaded<PublishedKey[]>> {
  const answer = await exchange(parts, {
    subject: 'jwks',
    url,
    maxBytes: parts.limits.maxJwksBytes,
    headers: { accept: 'application/json, application/jwk-set+json' },
  });
  requireStatus(answer, [200], 'jwks');
  const { keys } = readJsonAnswer(answer, 'jwks');
  if (!Array.isArray(keys)) throw new OidcError('OIDC_JWKS_INVALID', { check: 'jwks.keys', expected: 'an array' });
  if (keys.length > parts.limits.maxJwksKeys) {
    throw new OidcError('OIDC_JWKS_INVALID', {
      check: 'jwks.keys',
      expected: `at most ${parts.limits.maxJwksKeys} keys`,
      received: keys.length,
    });
  }
  return {
    value: keys.map(readPublishedKey),
    maxAgeSeconds: cacheSeconds(answer.headers, parts.limits.jwksMaxAgeSeconds, parts.limits),
  };
}

/** The parts of a provider's key source. */
export interface KeySourceParts {
  document: CachedDocument<PublishedKey[]>;
  issuerRule: IssuerRule;
  /** Limits the fetches that tokens with an invalid signature may cause. */
  suspicion: TokenBucket;
  /** For tokens that anybody may send. Tokens that the provider itself gave us are not forged, and never wait for this pause. */
  pause?: GrowingPause;
}

/**
 * The provider's keys. An unknown key id causes an immediate refetch before the answer: rotation must not lock people out for a
 * minute. A flood of invented key ids must not become a flood of fetches: the bucket limits a burst, and the pause a lasting
 * flood.
 */
export function publishedKeySource({ document, issuerRule, suspicion, pause }: KeySourceParts): KeySource {
  const chosenBefore = new ChosenKeys();
  const signsFor = (key: PublishedKey, hint: KeyHint) =>
    key.issuer === undefined || issuerRule.acceptsKey(key.issuer, unverifiedIssuer(hint));
  const importAll = (keys: PublishedKey[], hint: KeyHint) => Promise.all(keys.map(key => imported(key, hint.alg)));
  const findWaiting = async (hint: KeyHint): Promise<CryptoKey[]> => {
    const startedBefore = document.startedSerial;
    for (let keys = await document.get(); ; keys = await document.get()) {
      const chosen = choose(keys, hint);
      if (chosen.length > 0) {
        const fitting = chosen.filter(key => signsFor(key, hint));
        if (fitting.length === 0) throw unknown(hint);
        const found = await importAll(fitting, hint);
        // A key that signs for only one tenant is chosen again for each token.
        return chosen.some(key => key.issuer !== undefined) ? found : chosenBefore.keep(keys, hint, found);
      }
      // A set that was requested after the token came decides about the token's key id.
      if (document.loadedSerial > startedBefore) throw unknown(hint);
      await reloadedFor(document, hint, pause);
    }
  };
  const find = (hint: KeyHint) => chosenBefore.find(document.fresh(), hint) ?? findWaiting(hint);
  async function* findNewer(hint: KeyHint, tried: readonly CryptoKey[]): AsyncGenerator<CryptoKey[]> {
    // With a known key id this is nearly always a forgery; but a provider may put another key under an id that it used before.
    if (hint.kid !== undefined && !suspicion.take()) return;
    const startedBefore = document.startedSerial;
    const materials = new Set(tried.map(key => materialOf.get(key)));
    for (;;) {
      const untried = choose(await document.get(), hint).filter(key => signsFor(key, hint) && !materials.has(key.material));
      for (const { material } of untried) materials.add(material);
      if (untried.length > 0) yield importAll(untried, hint);
      // A set that was requested after the token came decides.
      if (document.loadedSerial > startedBefore) return;
      // Without a key id, only the signature tells a new key from a forgery. If no key set can be requested now, neither is known.
      if (hint.kid === undefined) await reloadedFor(document, hint, pause);
      // A token with a key id was already limited above.
      else if (!(await document.reload().catch(() => false))) return;
    }
  }
  return { find, findNewer };
}

// Only decides which of the provider's own keys is tried; the claim itself is checked after the signature.
function unverifiedIssuer({ token = '' }: KeyHint): unknown {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** Choices made from the key set served now; a new set starts over. Only ids that are in the set get here. */
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
  const usable = onceEach(named.filter(key => key.fault === undefined && fitsAlgorithm(key, hint.alg)));
  if (usable.length > 1)
    throw new OidcError('OIDC_KEY_AMBIGUOUS', { check: 'jwks.kid', expected: 'one key', received: usable.length });
  if (usable.length === 0) {
    const fault = named[0]!.fault ?? 'kty, crv or alg does not fit';
    throw new OidcError('OIDC_KEY_UNUSABLE', { check: 'jwks.key', expected: `a key for ${hint.alg}`, received: fault });
  }
  return usable;
}

function chooseByKind(keys: PublishedKey[], hint: KeyHint): PublishedKey[] {
  const usable = onceEach(keys.filter(key => key.fault === undefined && fitsAlgorithm(key, hint.alg)));
  if (usable.length > maxCandidates) {
    throw new OidcError('OIDC_KEY_AMBIGUOUS', {
      check: 'jwks.keys',
      expected: `at most ${maxCandidates} keys`,
      received: usable.length,
    });
  }
  return usable;
}

/** The same key is imported anew from each set. */
const materialOf = new WeakMap<CryptoKey, string>();

async function imported(key: PublishedKey, algorithm: string): Promise<CryptoKey> {
  try {
    const made = await key.import(algorithm);
    materialOf.set(made, key.material);
    return made;
  } catch (cause) {
    throw new OidcError('OIDC_KEY_UNUSABLE', { check: 'jwks.key', expected: `a key for ${algorithm}`, cause });
  }
}

// Some providers publish a key twice, with and without `alg`, or under both `use` and `key_ops`.
function onceEach(keys: PublishedKey[]): PublishedKey[] {
  return keys.filter((key, at) => keys.findIndex(other => other.material === key.material && other.issuer === key.issuer) === at);
}

/** Reloads if the pause allows it, and tells the pause whether the reload brought news. */
async function reload(document: CachedDocument<PublishedKey[]>, pause: GrowingPause | undefined): Promise<boolean> {
  if (pause === undefined) return document.reload();
  const [before, serial] = [document.held, document.startedSerial];
  let isOurs = false;
  const loading = document.reload(() => {
    isOurs = pause.isOver();
    return isOurs;
  });
  // Otherwise another caller started the load, or the bucket was empty and nothing was requested.
  isOurs = isOurs && document.startedSerial > serial;
  try {
    return await loading;
  } finally {
    if (isOurs && isSameSet(before, document.held)) pause.inVain();
    else if (isOurs) pause.end();
  }
}

function isSameSet(one: PublishedKey[] | undefined, other: PublishedKey[] | undefined): boolean {
  const named = (keys: PublishedKey[] = []) => keys.map(({ kid, material }) => JSON.stringify([kid, material])).sort();
  return one === other || named(one).join() === named(other).join();
}

async function reloadedFor(
  document: CachedDocument<PublishedKey[]>,
  hint: KeyHint,
  pause: GrowingPause | undefined,
): Promise<void> {
  let started: boolean;
  try {
    started = await reload(document, pause);
  } catch (cause) {
    // While the provider is down, the token's key is as unknown as before; the keys we hold stay in use.
    const { retryAfterSeconds } = cause as Partial<OidcError>;
    throw unknown(hint, { cause, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) });
  }
  if (started) return;
  // Nothing was requested, so the token may be valid: a flood of invented key ids must not reject a genuine one permanently.
  const waitMs = Math.max(document.waitMs(), pause?.waitMs() ?? 0);
  throw unknown(hint, { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });
}

function unknown(hint: KeyHint, more: { cause?: unknown; retryAfterSeconds?: number } = {}): OidcError {
  return new OidcError('OIDC_KEY_UNKNOWN', { check: 'jws.kid', received: hint.kid ?? 'no key id', ...more });
}
