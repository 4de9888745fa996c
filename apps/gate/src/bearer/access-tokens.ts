import { createHash } from 'node:crypto';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import { GateError } from '../errors.ts';
import type { Identity } from '../model/identity.ts';
import type { TokenDemand } from '../model/rule.ts';
import { type OidcDoor, oidcIdentity, readOidcFailure } from '../sign-in/oidc.ts';

const maxTokenLength = 16_384;
const maxCached = 10_000;

interface Cached {
  readonly identity: Identity | undefined;
  readonly until: number;
}

/** The token of an Authorization header; undefined when it holds another kind of credential or none. */
export function readBearer(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(header)?.[1];
}

/**
 * Access tokens in place of a session: JWTs by RFC 9068, opaque ones by asking their provider (RFC 7662). The providers
 * of the rule that matched are the only ones that count.
 */
export class AccessTokens {
  readonly #doors: ReadonlyMap<string, OidcDoor>;
  readonly #now: () => Date;
  readonly #keys = new Map<string, ReturnType<typeof createRemoteJWKSet>>();
  /** Answers of introspection, by the hash of the whole token: a part of it must not stand for another (CVE-2026-35039). */
  readonly #answers = new Map<string, Cached>();

  constructor(doors: Iterable<OidcDoor>, now: () => Date) {
    this.#doors = new Map([...doors].map(door => [door.id, door]));
    this.#now = now;
  }

  /** @throws {@link GateError} `TOKEN_REFUSED`, `ID_TOKEN_AS_CREDENTIAL`, `PROVIDER_DOWN` */
  async read(token: string, demands: readonly TokenDemand[]): Promise<Identity> {
    if (token.length > maxTokenLength) throw new GateError('TOKEN_REFUSED', 'it is too long');
    const doors = [...new Set(demands.map(demand => demand.provider))].flatMap(id => this.#doors.get(id) ?? []);
    if (token.split('.').length === 3) return this.#readJwt(token, doors);
    for (const door of doors) {
      if (door.config.accessTokens?.introspection !== true) continue;
      const identity = await this.#introspect(token, door);
      if (identity !== undefined) return identity;
    }
    throw new GateError('TOKEN_REFUSED');
  }

  async #readJwt(token: string, doors: readonly OidcDoor[]): Promise<Identity> {
    const { type, claims } = decode(token);
    const door = doors.find(one => one.issuer === claims.iss);
    if (door === undefined) throw new GateError('TOKEN_REFUSED', 'its issuer is not a configured provider');
    if (isIdToken(type, claims, door.config.clientId)) throw new GateError('ID_TOKEN_AS_CREDENTIAL');
    const { accessTokens, clockToleranceSeconds } = door.config;
    if (accessTokens === undefined) throw new GateError('TOKEN_REFUSED');
    try {
      const { payload } = await jwtVerify(token, await this.#keysOf(door), {
        issuer: door.issuer,
        audience: accessTokens.audience,
        algorithms: [...accessTokens.algorithms],
        typ: 'at+jwt',
        requiredClaims: ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'],
        clockTolerance: clockToleranceSeconds,
        currentDate: this.#now(),
      });
      if (isBound(payload))
        throw new GateError('TOKEN_REFUSED', 'it is bound to a key or a certificate, so its bearer alone is nobody');
      return identityOf(door, payload);
    } catch (error) {
      throw refusal(error);
    }
  }

  async #keysOf(door: OidcDoor): Promise<ReturnType<typeof createRemoteJWKSet>> {
    const { jwks_uri } = await door.metadata();
    let keys = this.#keys.get(jwks_uri);
    if (keys === undefined) {
      keys = createRemoteJWKSet(new URL(jwks_uri), { timeoutDuration: 5_000, cooldownDuration: 2_000, cacheMaxAge: 600_000 });
      this.#keys.set(jwks_uri, keys);
    }
    return keys;
  }

  async #introspect(token: string, door: OidcDoor): Promise<Identity | undefined> {
    const now = this.#now().getTime();
    const name = createHash('sha256').update(`${door.id} ${token}`).digest('base64url');
    const known = this.#answers.get(name);
    if (known !== undefined && known.until > now) return known.identity;
    const { identity, expiresAt } = await this.#ask(token, door);
    const cacheUntil = now + (door.config.accessTokens?.cacheSeconds ?? 0) * 1000;
    this.#answers.delete(name);
    this.#answers.set(name, { identity, until: Math.min(cacheUntil, expiresAt ?? cacheUntil) });
    for (const [oldest] of this.#answers) {
      if (this.#answers.size <= maxCached) break;
      this.#answers.delete(oldest);
    }
    return identity;
  }

  async #ask(token: string, door: OidcDoor): Promise<{ identity: Identity | undefined; expiresAt?: number }> {
    let answer: Awaited<ReturnType<OidcDoor['introspect']>>;
    try {
      answer = await door.introspect(token);
    } catch (error) {
      throw refusal(error);
    }
    const claims = answer as unknown as JWTPayload & { active?: boolean };
    if (claims.active !== true) return { identity: undefined };
    const audiences = claims.aud === undefined ? undefined : [claims.aud].flat();
    const isOurs = audiences === undefined || audiences.includes(door.config.accessTokens?.audience ?? '');
    const isFresh = typeof claims.exp !== 'number' || claims.exp * 1000 > this.#now().getTime();
    if (!isOurs || !isFresh || (claims.iss !== undefined && claims.iss !== door.issuer)) return { identity: undefined };
    if (typeof claims.sub !== 'string' || claims.sub === '' || isBound(claims)) return { identity: undefined };
    return { identity: identityOf(door, claims), ...(typeof claims.exp === 'number' ? { expiresAt: claims.exp * 1000 } : {}) };
  }
}

/**
 * RFC 7800: whoever presents it must prove that they hold a key (DPoP, RFC 9449) or a certificate (RFC 8705). The gate sees neither, and a thief of
 * the token has neither.
 */
function isBound({ cnf, token_type }: JWTPayload): boolean {
  return cnf !== undefined || (typeof token_type === 'string' && token_type.toLowerCase() === 'dpop');
}

function identityOf(door: OidcDoor, claims: JWTPayload): Identity {
  const scope = typeof claims.scope === 'string' ? claims.scope.split(' ').filter(word => word !== '') : [];
  const identity = oidcIdentity(door.config, { issuer: door.issuer, subject: claims.sub as string }, claims);
  return { ...identity, scopes: scope };
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

/** RFC 9068 §4: without the type at+jwt it is no access token. What is addressed to us, or speaks of a sign-in, is an ID Token. */
function isIdToken(type: string, claims: JWTPayload, clientId: string): boolean {
  if (type === 'at+jwt') return false;
  return (
    [claims.aud].flat().includes(clientId) || ['nonce', 'at_hash', 'c_hash', 'auth_time'].some(name => claims[name] !== undefined)
  );
}

function refusal(error: unknown): GateError {
  if (error instanceof GateError) return error;
  if (error instanceof errors.JWKSTimeout || readOidcFailure(error)?.kind === 'outage')
    return new GateError('PROVIDER_DOWN', undefined, { cause: error });
  if (error instanceof errors.JWTExpired) return new GateError('TOKEN_REFUSED', 'it has expired', { cause: error });
  if (error instanceof errors.JOSEError) return new GateError('TOKEN_REFUSED', undefined, { cause: error });
  return new GateError('PROVIDER_DOWN', undefined, { cause: error });
}
