import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { formParameters, readParameters } from '../bindings/http-message.ts';
import { type IncomingRequest, isWebRequest, readIncoming } from '../bindings/incoming-request.ts';
import { maxFormBytes } from '../bindings/post-binding.ts';
import { SamlError } from '../errors.ts';
import { flag, fn, listOf, optional, readShape, shape, text } from '../values/shape.ts';
import { type PendingSignIn, type PendingSignOut, readPendingSignIn, readPendingSignOut } from './pending.ts';

/** How pending sign-ins are kept in the browser that started them. */
export interface PendingCookieOptions {
  /** Secrets of at least 32 characters, the same in every process. The first one seals, all of them open, so that keys can be rotated. */
  keys: readonly string[];
  /** False for plain http on this machine: the cookie then has no `__Host-` name and is sent only to the same site. */
  secure?: boolean;
  now?: () => Date;
}

const optionsReader = shape({
  keys: listOf(
    text('a secret of 32 to 1024 characters', value => value.length >= 32 && value.length <= 1024),
    'secrets',
    10,
  ),
  secure: optional(flag),
  now: optional(fn<() => Date>()),
});

/** Beyond this number the cookies of older sign-ins are deleted: each has some 600 bytes, and servers refuse long headers. */
const maxCookies = 5;
/** A browser drops a cookie of more than 4,096 bytes without a word, and the sign-in could never be finished. */
const maxCookieLength = 3_800;

interface Kept {
  name: string;
  sealed: string;
}

/** The record kept for the sign-in or sign-out that a request belongs to. */
export interface TakenPending<T> {
  pending: T | undefined;
  /** `Set-Cookie` headers that delete it: send them with the answer. */
  clear: string[];
}

/**
 * Keeps pending sign-ins and sign-outs sealed in the browser itself. Nothing is stored on the server, so a flood of sign-ins that
 * nobody finishes costs no memory, and two tabs do not affect each other. A cookie is named by its RelayState; the `__Host-` name
 * keeps other hosts from planting one. One-time use is enforced by the replay store.
 * @example
 * const cookies = new PendingCookies({ keys: [process.env.COOKIE_KEY] });
 * const headers = cookies.keep(pending, request.headers.cookie);
 * const { pending, clear } = await cookies.takeSignIn(incoming, request.headers.cookie);
 */
export class PendingCookies {
  readonly #keys: readonly Buffer[];
  readonly #secure: boolean;
  readonly #now: () => Date;

  /** @throws SamlError `SAML_CONFIG_INVALID` */
  constructor(options: PendingCookieOptions) {
    const read = readShape(options, 'options', optionsReader);
    readShape(read.keys[0], 'options.keys[0]', text());
    this.#keys = read.keys.map(key => Buffer.from(hkdfSync('sha256', key, '', 'octavo saml-sp pending cookie', 32)));
    this.#secure = read.secure ?? true;
    this.#now = read.now ?? (() => new Date());
  }

  /**
   * `Set-Cookie` headers that keep a sign-in or sign-out, and delete the oldest when there are too many.
   * @param cookies the request's `Cookie` header
   * @throws SamlError `SAML_CONFIG_INVALID` for one that no browser would keep
   */
  keep(pending: PendingSignIn | PendingSignOut, cookies: string | undefined | null): string[] {
    const [name, sealed] = [this.#name(pending.relayState), this.#seal(pending)];
    const length = name.length + sealed.length;
    if (length > maxCookieLength)
      throw new SamlError('SAML_CONFIG_INVALID', `pending: expected at most ${maxCookieLength} bytes as a cookie, got ${length}`);
    const seconds = Math.max(0, Math.round(pending.expiresAt - this.#now().getTime() / 1000));
    const others = this.#read(cookies).filter(one => one.name !== name);
    const surplus = others.slice(0, Math.max(0, others.length - maxCookies + 1));
    return [...surplus.map(one => this.#forget(one.name)), this.#write(name, sealed, seconds)];
  }

  /** Takes the record kept for the sign-in that this Response answers. */
  async takeSignIn(request: IncomingRequest, cookies: string | undefined | null): Promise<TakenPending<PendingSignIn>> {
    return await this.#take(request, cookies, readPendingSignIn);
  }

  /** Takes the record kept for the sign-out that this LogoutResponse answers. */
  async takeSignOut(request: IncomingRequest, cookies: string | undefined | null): Promise<TakenPending<PendingSignOut>> {
    return await this.#take(request, cookies, readPendingSignOut);
  }

  async #take<T>(
    request: IncomingRequest,
    cookies: string | undefined | null,
    read: (value: unknown) => T,
  ): Promise<TakenPending<T>> {
    const http = await readIncoming(isWebRequest(request) ? request.clone() : request, maxFormBytes);
    const parameters = http.method === 'GET' ? readParameters(http.query) : formParameters(http.body);
    const relayState = parameters.find(one => one.name === 'RelayState')?.value;
    if (relayState === undefined) return { pending: undefined, clear: [] };
    const name = this.#name(relayState);
    const kept = this.#read(cookies).find(one => one.name === name);
    const opened = kept === undefined ? undefined : this.#open(kept);
    return opened === undefined ? { pending: undefined, clear: [] } : { pending: read(opened), clear: [this.#forget(name)] };
  }

  get #prefix(): string {
    return this.#secure ? '__Host-saml-' : 'saml-';
  }

  #name(relayState: string): string {
    return `${this.#prefix}${createHash('sha256').update(relayState).digest('hex').slice(0, 24)}`;
  }

  #read(cookies: string | undefined | null): Kept[] {
    return (cookies ?? '')
      .split(';')
      .map(pair => pair.trim())
      .filter(pair => pair.startsWith(this.#prefix) && pair.includes('='))
      .map(pair => ({ name: pair.slice(0, pair.indexOf('=')), sealed: pair.slice(pair.indexOf('=') + 1) }));
  }

  // The Response is posted from the provider's site, so the browser would not send a cookie with SameSite=Lax.
  #write(name: string, value: string, seconds: number): string {
    const site = this.#secure ? 'Secure; SameSite=None' : 'SameSite=Lax';
    return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; ${site}`;
  }

  #forget(name: string): string {
    return this.#write(name, '', 0);
  }

  /** The name is sealed too: a cookie moved to another name does not open. */
  #seal(pending: PendingSignIn | PendingSignOut): string {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#keys[0] as Buffer, iv, { authTagLength: 16 });
    cipher.setAAD(Buffer.from(this.#name(pending.relayState)));
    return Buffer.concat([iv, cipher.update(JSON.stringify(pending)), cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }

  /** A cookie that does not open is treated as absent. */
  #open({ name, sealed }: Kept): unknown {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < 29) return undefined;
    for (const key of this.#keys) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
        decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(-16));
        return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString());
      } catch {
        // Sealed with another key, or changed.
      }
    }
    return undefined;
  }
}
