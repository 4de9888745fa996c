import { decodeJwt, decodeProtectedHeader, errors, type JWSHeaderParameters, type JWTPayload, jwtVerify } from 'jose';
import { GateError } from '../errors.ts';
import type { Identity } from '../model/identity.ts';
import type { OpaqueToken } from '../model/opaque-token.ts';
import type { TokenDemand } from '../model/rule.ts';
import { type OidcDoor, readOidcFailure } from '../sign-in/oidc.ts';
import { type AcceptedToken, acceptedToken, isBound } from './accepted.ts';
import { Introspections } from './introspections.ts';

const maxTokenLength = 16_384;

/** The use of a token: what it is presented for, and from where. */
export interface TokenUse {
  /** From the rule that matched: only its providers count. */
  readonly demands: readonly TokenDemand[];
  /** The network address it comes from, as `sourceOf` returns it. */
  readonly source: string;
  /** Whether the rule lets this identity in. When several providers accept the token, the first for which this holds is used. */
  readonly isEnough: (identity: Identity) => boolean;
}

/** The token of an Authorization header; undefined when it holds another kind of credential or none. */
export function readBearer(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(header)?.[1];
}

/** Access tokens in place of a session: JWTs by RFC 9068, opaque ones by asking their provider (RFC 7662). */
export class AccessTokens {
  readonly #doors: ReadonlyMap<string, OidcDoor>;
  readonly #now: () => Date;
  readonly #introspections: Introspections;

  constructor(doors: Iterable<OidcDoor>, now: () => Date) {
    this.#doors = new Map([...doors].map(door => [door.id, door]));
    this.#now = now;
    this.#introspections = new Introspections(now);
  }

  /**
   * Each provider of the rule checks the token against its own audience: two providers may share an issuer, and a token for one
   * must not count where the rule asks for the other.
   * @throws {@link GateError} `TOKEN_REFUSED`, `ID_TOKEN_AS_CREDENTIAL`, `PROVIDER_DOWN`, `TOKENS_BUSY`, `TOO_MANY_TOKENS`
   */
  async read(token: string, { demands, source, isEnough }: TokenUse): Promise<AcceptedToken> {
    if (token.length > maxTokenLength) throw new GateError('TOKEN_REFUSED', 'it is too long');
    const doors = [...new Set(demands.map(demand => demand.provider))].flatMap(id => this.#doors.get(id) ?? []);
    const isJwt = token.split('.').length === 3;
    let accepted: AcceptedToken | undefined;
    let failure: GateError | undefined;
    for (const door of isJwt ? doorsOf(token, doors) : doors) {
      try {
        const found = await (isJwt ? this.#readJwt(token, door) : this.#introspect(token, door, source));
        if (found !== undefined && isEnough(found.identity)) return found;
        accepted ??= found;
      } catch (error) {
        failure = moreInformative(failure, refusal(error));
      }
    }
    if (accepted !== undefined) return accepted;
    throw failure ?? new GateError('TOKEN_REFUSED');
  }

  /** Asks the provider again. @returns false also when opaque tokens are no longer accepted from it; throws when it cannot be asked */
  async isStillGood(token: OpaqueToken): Promise<boolean> {
    const door = this.#doors.get(token.provider);
    return door?.config.accessTokens?.introspection === true && this.#introspections.isStillGood(token, door);
  }

  lastAnswerAt(token: OpaqueToken): number | 'refused' | undefined {
    return this.#introspections.lastAnswerAt(token);
  }

  /** How long a provider's answer counts. */
  cacheMs(provider: string): number {
    return (this.#doors.get(provider)?.config.accessTokens?.cacheSeconds ?? 0) * 1000;
  }

  async #readJwt(token: string, door: OidcDoor): Promise<AcceptedToken | undefined> {
    const { accessTokens, clockToleranceSeconds } = door.config;
    if (accessTokens === undefined) return undefined;
    const { payload } = await jwtVerify(token, header => keyOf(door, header, token), {
      issuer: door.issuer,
      audience: accessTokens.audience,
      algorithms: [...accessTokens.algorithms],
      typ: 'at+jwt',
      requiredClaims: ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'],
      clockTolerance: clockToleranceSeconds,
      currentDate: this.#now(),
    });
    if (typeof payload.sub !== 'string' || payload.sub === '') throw new GateError('TOKEN_REFUSED', 'it has no subject (sub)');
    if (isBound(payload))
      throw new GateError('TOKEN_REFUSED', 'it is bound to a key or a certificate, which the gate cannot check');
    return acceptedToken(door, payload);
  }

  async #introspect(token: string, door: OidcDoor, source: string): Promise<AcceptedToken | undefined> {
    return door.config.accessTokens?.introspection === true ? this.#introspections.read(token, door, source) : undefined;
  }
}

async function keyOf(door: OidcDoor, header: JWSHeaderParameters, token: string): Promise<CryptoKey> {
  const key = await door.findKey(header, token);
  if (key === undefined) throw new GateError('TOKEN_REFUSED', 'it names no key (kid), and its provider has several');
  return key;
}

/** The providers whose issuer the JWT names. The token is not verified yet. */
function doorsOf(token: string, doors: readonly OidcDoor[]): OidcDoor[] {
  const { type, claims } = decode(token);
  const named = doors.filter(door => door.issuer === claims.iss);
  if (named.length === 0) throw new GateError('TOKEN_REFUSED', 'its issuer is not a configured provider');
  if (named.some(door => isIdToken(type, claims, door.config.clientId))) throw new GateError('ID_TOKEN_AS_CREDENTIAL');
  return named;
}

function decode(token: string): { type: string; claims: JWTPayload } {
  try {
    const { typ } = decodeProtectedHeader(token);
    return {
      type: String(typ ?? '')
        .toLowerCase()
        .replace(/^application\//, ''),
      claims: decodeJwt(token),
    };
  } catch {
    throw new GateError('TOKEN_REFUSED', 'it is not a JWT');
  }
}

/** RFC 9068 §4: without type `at+jwt` it is no access token. One addressed to us, or with claims about a sign-in, is an ID Token. */
function isIdToken(type: string, claims: JWTPayload, clientId: string): boolean {
  if (type === 'at+jwt') return false;
  return (
    [claims.aud].flat().includes(clientId) || ['nonce', 'at_hash', 'c_hash', 'auth_time'].some(name => claims[name] !== undefined)
  );
}

/** A provider that could not be asked might have said yes; of two refusals, the one with a reason says more. */
function moreInformative(one: GateError | undefined, other: GateError): GateError {
  const weight = ({ code, detail }: GateError) => (code !== 'TOKEN_REFUSED' ? 2 : detail === undefined ? 0 : 1);
  return one === undefined || weight(other) > weight(one) ? other : one;
}

function refusal(error: unknown): GateError {
  if (error instanceof GateError) return error;
  const failure = readOidcFailure(error);
  if (failure?.kind === 'not-accepted') return new GateError('TOKEN_REFUSED', undefined, { cause: error });
  if (error instanceof errors.JWTExpired) return new GateError('TOKEN_REFUSED', 'it has expired', { cause: error });
  if (error instanceof errors.JOSEError) return new GateError('TOKEN_REFUSED', undefined, { cause: error });
  return new GateError('PROVIDER_DOWN', undefined, { cause: error, retryAfterSeconds: failure?.retryAfterSeconds });
}
