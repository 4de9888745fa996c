import { base64url, CompactEncrypt, compactDecrypt, decodeJwt } from 'jose';
import { type Clock, millisecondsOf } from '../environment.ts';
import { OidcError } from '../errors.ts';
import { readBody } from '../http/http.ts';
import { type IncomingRequest, isWebRequest } from '../http/incoming-request.ts';
import { isSameText } from '../values/same-text.ts';
import { type Check, callable, flag, listOf, may, members, must, requireShape, that, wholeNumber } from '../values/shape.ts';
import { type PendingSignIn, readPendingSignIn } from './pending-sign-in.ts';

/** How pending sign-ins are kept in cookies. */
export interface PendingCookieOptions extends Clock {
  /** 32 random bytes each, the same in all your processes. The first key seals, all of them open: to rotate, put a new one in front. */
  keys: readonly Uint8Array[];
  /** How many sign-ins one browser may have under way; beyond that the oldest is dropped. Default 5. */
  maxPending?: number | undefined;
  /** Sets cookies without `Secure` and the `__Host-` prefix, for plain http on a loopback address: development and tests. */
  dangerouslyAllowLoopbackHttp?: boolean | undefined;
}

/** The record kept for a callback, and the cookies to send with any answer. */
export interface TakenPending {
  pending: PendingSignIn | undefined;
  /** `Set-Cookie` values that delete the cookie of this sign-in. */
  setCookies: readonly string[];
}

const key: Check = that('32 random bytes', value => value instanceof Uint8Array && value.length === 32);
const shape = members<PendingCookieOptions>({
  keys: must(listOf(key, 'keys', 1)),
  maxPending: may(wholeNumber(1, 10)),
  now: may(callable),
  dangerouslyAllowLoopbackHttp: may(flag),
});

const sealing = { alg: 'dir', enc: 'A256GCM' } as const;
const maxCookieLength = 3_800;
const maxBodyBytes = 65_536;

/**
 * Keeps pending sign-ins in sealed cookies of the browser that started them, one cookie for each. Two tabs do not disturb each
 * other, another site's link to the callback finds and ends nothing, and a flood of sign-ins that nobody finishes costs the
 * server neither memory nor storage. A copied cookie is useless when sent again: the relying party accepts each state once, and
 * the provider each code once.
 *
 * @example
 * ```ts
 * const cookies = new PendingCookies({ keys: [key] });
 * const { url, pending } = await relyingParty.startSignIn({ returnTo: '/' });
 * response.setHeader('set-cookie', await cookies.keep(pending, request.headers.cookie));
 * // at the callback:
 * const { pending, setCookies } = await cookies.take(incoming, request.headers.cookie);
 * ```
 */
export class PendingCookies {
  readonly #keys: readonly Uint8Array[];
  readonly #maxPending: number;
  readonly #now: () => number;
  readonly #prefix: string;
  readonly #secure: boolean;

  /** @throws {@link OidcError} `OIDC_CONFIG_INVALID` */
  constructor(options: PendingCookieOptions) {
    requireShape(options, 'options', shape);
    this.#keys = options.keys.map(bytes => new Uint8Array(bytes));
    this.#maxPending = options.maxPending ?? 5;
    this.#now = millisecondsOf(options);
    this.#secure = options.dangerouslyAllowLoopbackHttp !== true;
    this.#prefix = this.#secure ? '__Host-oidc-' : 'oidc-';
  }

  /**
   * The `Set-Cookie` values that keep a sign-in, and delete the oldest ones of a browser that has too many under way.
   *
   * @param cookieHeader the `Cookie` header of the request that starts the sign-in
   */
  async keep(pending: PendingSignIn, cookieHeader: string | null | undefined): Promise<string[]> {
    readPendingSignIn(pending);
    const plaintext = new TextEncoder().encode(JSON.stringify(pending));
    const sealed = await new CompactEncrypt(plaintext).setProtectedHeader(sealing).encrypt(this.#keys[0]!);
    const name = await this.#nameOf(pending.state, pending.expiresAt);
    if (name.length + sealed.length > maxCookieLength) {
      const received = `${name.length + sealed.length} bytes`;
      throw new OidcError('OIDC_CONFIG_INVALID', {
        check: 'pending',
        expected: `at most ${maxCookieLength} bytes as a cookie`,
        received,
      });
    }
    // A form comes from the provider's page, and the browser would not send a cookie with SameSite=Lax along.
    const sameSite = pending.responseMode.startsWith('form_post') && this.#secure ? 'None' : 'Lax';
    const lifetime = Math.max(0, Math.round(pending.expiresAt - this.#now() / 1000));
    return [...this.#surplus(cookieHeader).map(old => this.#end(old)), this.#cookie(name, sealed, lifetime, sameSite)];
  }

  /** Finds the sign-in that a callback answers, by its state. If there is none, `finishSignIn` refuses the callback. */
  async take(request: IncomingRequest, cookieHeader: string | null | undefined): Promise<TakenPending> {
    const state = await stateOf(request);
    if (state === undefined) return { pending: undefined, setCookies: [] };
    for (const [name, value] of this.#ours(cookieHeader)) {
      const pending = await this.#open(value);
      if (pending !== undefined && isSameText(pending.state, state)) return { pending, setCookies: [this.#end(name)] };
    }
    return { pending: undefined, setCookies: [] };
  }

  // The expiry is part of the name, so that the oldest can be found without unsealing.
  async #nameOf(state: string, expiresAt: number): Promise<string> {
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(state)));
    return `${this.#prefix}${Math.floor(expiresAt).toString(36)}-${base64url.encode(digest.subarray(0, 9))}`;
  }

  #ours(cookieHeader: string | null | undefined): [name: string, value: string][] {
    const pairs = (cookieHeader ?? '').split(';', 200).map((pair): [string, string] => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    });
    return pairs.filter(([name]) => name.startsWith(this.#prefix) && /^[\w-]+$/.test(name)).slice(0, 50);
  }

  #surplus(cookieHeader: string | null | undefined): string[] {
    const names = this.#ours(cookieHeader).map(([name]) => name);
    return names.sort().slice(0, Math.max(0, names.length - this.#maxPending + 1));
  }

  async #open(sealed: string): Promise<PendingSignIn | undefined> {
    for (const candidate of this.#keys) {
      try {
        const rules = {
          keyManagementAlgorithms: [sealing.alg],
          contentEncryptionAlgorithms: [sealing.enc],
          maxDecompressedLength: 0,
        };
        const { plaintext } = await compactDecrypt(sealed, candidate, rules);
        const kept: unknown = JSON.parse(new TextDecoder().decode(plaintext));
        // Otherwise it was sealed for another use of the key.
        return namesState(kept) ? kept : undefined;
      } catch {
        // Sealed with another key, or not sealed at all.
      }
    }
    return undefined;
  }

  #end(name: string): string {
    return this.#cookie(name, '', 0, 'Lax');
  }

  #cookie(name: string, value: string, maxAge: number, sameSite: 'Lax' | 'None'): string {
    return `${name}=${value}; Path=/; HttpOnly; ${this.#secure ? 'Secure; ' : ''}SameSite=${sameSite}; Max-Age=${maxAge}`;
  }
}

function namesState(kept: unknown): kept is PendingSignIn {
  return typeof kept === 'object' && kept !== null && typeof (kept as Partial<PendingSignIn>).state === 'string';
}

/** The state of a callback, not yet checked: it only selects which cookie to open. */
async function stateOf(request: IncomingRequest): Promise<string | undefined> {
  try {
    const parameters = await parametersOf(request);
    const response = parameters.get('response');
    // In a signed response (JARM) the state is inside the token.
    const state = parameters.get('state') ?? (response === null ? undefined : decodeJwt(response).state);
    return typeof state === 'string' ? state : undefined;
  } catch {
    return undefined;
  }
}

async function parametersOf(request: IncomingRequest): Promise<URLSearchParams> {
  if (typeof request === 'string' || request instanceof URL) return queryOf(String(request));
  if (request.method !== 'POST') return queryOf(request.url);
  // A body can be read only once, and the relying party has yet to read it.
  if (isWebRequest(request))
    return new URLSearchParams(new TextDecoder().decode(await readBody(request.clone(), maxBodyBytes, 'callback')));
  const { body } = request;
  if (typeof body !== 'object' || body instanceof URLSearchParams) return new URLSearchParams(body);
  return new URLSearchParams(Object.entries(body).filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}

function queryOf(address: string): URLSearchParams {
  return new URL(address, 'https://here.invalid').searchParams;
}
