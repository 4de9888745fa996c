import { base64url } from 'jose';
import { callable, having, may, requireShape } from './values/shape.ts';

/** A `fetch` like the platform's; tests and proxies supply their own. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A clock. */
export interface Clock {
  /** The current time. Default: the platform's. */
  now?: (() => Date) | undefined;
}

/** Time, randomness and network: everything that the package takes from outside. */
export interface Environment {
  /** Calls the provider. It gets `redirect: 'manual'`, which it must honor. */
  fetch: Fetch;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Returns that many bytes from a cryptographic generator. */
  randomBytes: (size: number) => Uint8Array;
}

/** The platform's own fetch, clock and WebCrypto random numbers. */
export const platformEnvironment: Environment = {
  fetch: (url, init) => globalThis.fetch(url, init),
  now: () => Date.now(),
  randomBytes: size => crypto.getRandomValues(new Uint8Array(size)),
};

/** The part of the environment that options may override. */
export interface GivenEnvironment extends Clock {
  fetch?: Environment['fetch'] | undefined;
  randomBytes?: Environment['randomBytes'] | undefined;
}

/** Completes what the options give with the platform's own. */
export function readEnvironment(given: GivenEnvironment): Environment {
  const { now, fetch = platformEnvironment.fetch, randomBytes = platformEnvironment.randomBytes } = given;
  return { fetch, randomBytes, now: millisecondsOf({ now }) };
}

const clockShape = having<Clock>({ now: may(callable) });

/** The clock as milliseconds since 1970. */
export function millisecondsOf(clock: Clock): () => number {
  requireShape(clock, 'clock', clockShape);
  const { now } = clock;
  return now === undefined ? platformEnvironment.now : () => now().getTime();
}

/** 256 random bits as 43 characters of base64url: a state, a nonce, a PKCE verifier, a token id. */
export function randomText(environment: Pick<Environment, 'randomBytes'>): string {
  return base64url.encode(environment.randomBytes(32));
}

/** The current time in seconds since 1970, with its fraction. */
export function nowSeconds(environment: Pick<Environment, 'now'>): number {
  return environment.now() / 1000;
}
