import type { Configuration } from '../client/configuration.ts';
import { readResource } from '../client/resource.ts';
import { nowSeconds } from '../environment.ts';
import { OidcError } from '../errors.ts';
import { readJsonAnswer } from '../http/http.ts';
import { postAsClient, requestTokens, type TokenSet } from '../tokens/token-request.ts';
import type { JsonObject } from '../values/json.ts';
import { members, must, numberIn, requireShape, text, wholeNumber } from '../values/shape.ts';
import { readTokenParameters } from './authorization-request.ts';
import { type TokenRequest, tokenRequestShape } from './grants.ts';

/** A sign-in on a device without a browser (RFC 8628): show the address and the code, then wait. */
export interface StartedDeviceSignIn {
  /** The code that the person types, on another device. */
  userCode: string;
  /** The address where they type it. Show it as text. */
  verificationUri: string;
  /** The same address with the code included, for a QR code, if the provider has one. */
  verificationUriComplete: string | undefined;
  pending: PendingDeviceSignIn;
}

/**
 * A device sign-in under way. It is JSON; every member is always present. Keep it secret: the device code is enough to get the
 * tokens.
 */
export interface PendingDeviceSignIn {
  issuer: string;
  deviceCode: string;
  /** Seconds since 1970. */
  startedAt: number;
  /** Seconds since 1970. */
  expiresAt: number;
  /** How long to wait between two requests. */
  intervalSeconds: number;
}

const maxLifetimeSeconds = 3_600;

const shape = members<PendingDeviceSignIn>({
  issuer: must(text()),
  deviceCode: must(text(8192)),
  startedAt: must(numberIn(0, Number.MAX_SAFE_INTEGER)),
  expiresAt: must(numberIn(0, Number.MAX_SAFE_INTEGER)),
  // Up to the longest lifetime of a code. A lower limit would poll sooner than the provider wants; after that time nothing is polled.
  intervalSeconds: must(wholeNumber(1, maxLifetimeSeconds)),
});

/** Asks for a device code. */
export async function startDeviceSignIn(
  configuration: Configuration,
  endpoint: URL,
  request: TokenRequest,
): Promise<StartedDeviceSignIn> {
  requireShape(request, 'request', tokenRequestShape);
  const scopes = [...new Set([...configuration.scopes, ...(request.scopes ?? [])])];
  const answer = await postAsClient(configuration, endpoint, 'device', [
    ...Object.entries(readTokenParameters(request.tokenParameters ?? {}, 'request.tokenParameters')),
    ['scope', scopes.join(' ')],
    ...readResource(request.resource).pairs,
  ]);
  const response = readJsonAnswer(answer, 'device');
  const startedAt = Math.floor(nowSeconds(configuration.environment));
  const complete = response.verification_uri_complete ?? undefined;
  return {
    userCode: readText(response, 'user_code', 200),
    verificationUri: readAddress(response.verification_uri ?? response.verification_url, 'verification_uri', configuration),
    verificationUriComplete:
      complete === undefined ? undefined : readAddress(complete, 'verification_uri_complete', configuration),
    pending: {
      issuer: configuration.issuer,
      deviceCode: readText(response, 'device_code', 8192),
      startedAt,
      expiresAt: startedAt + Math.min(readSeconds(response.expires_in, 'expires_in', undefined), maxLifetimeSeconds),
      intervalSeconds: Math.min(Math.ceil(readSeconds(response.interval, 'interval', 5)), maxLifetimeSeconds),
    },
  };
}

/** Reads what a store returned. */
export function readPendingDevice(value: unknown, issuer: string): PendingDeviceSignIn {
  requireShape(value, 'pending', shape, 'OIDC_PENDING_INVALID');
  const pending = value as PendingDeviceSignIn;
  if (pending.issuer !== issuer)
    throw new OidcError('OIDC_PENDING_INVALID', { check: 'pending.issuer', expected: issuer, received: pending.issuer });
  return pending;
}

/**
 * Polls the token endpoint, never faster than it allows (RFC 8628 §3.5), until the person has decided, the code has expired or
 * the signal aborts. When the provider is unavailable, polling continues.
 */
export async function pollForTokens(
  configuration: Configuration,
  url: URL,
  pending: PendingDeviceSignIn,
  wait: (seconds: number) => Promise<void>,
): Promise<TokenSet> {
  let interval = pending.intervalSeconds;
  for (;;) {
    await wait(interval);
    if (nowSeconds(configuration.environment) >= pending.expiresAt)
      throw new OidcError('OIDC_DEVICE_EXPIRED', { check: 'pending.expiresAt' });
    const outcome = await ask(configuration, url, pending);
    if ('accessToken' in outcome) return outcome;
    interval += outcome.slowerBySeconds;
  }
}

async function ask(
  configuration: Configuration,
  url: URL,
  pending: PendingDeviceSignIn,
): Promise<TokenSet | { slowerBySeconds: number }> {
  try {
    return await requestTokens(configuration, url, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: pending.deviceCode,
    });
  } catch (error) {
    if (!(error instanceof OidcError)) throw error;
    if (error.providerError === 'authorization_pending') return { slowerBySeconds: 0 };
    // RFC 8628 §3.5: wait five seconds longer, for this and all later requests; also after an outage.
    if (error.providerError === 'slow_down' || error.status === 503) return { slowerBySeconds: 5 };
    const { providerError, providerDescription = '' } = error;
    if (providerError === 'expired_token')
      throw new OidcError('OIDC_DEVICE_EXPIRED', { check: 'token.error', providerError, cause: error });
    if (providerError === 'access_denied')
      throw new OidcError('OIDC_PROVIDER_ERROR', { check: 'token.error', providerError, providerDescription, cause: error });
    throw error;
  }
}

function readText(response: JsonObject, member: string, maxLength: number): string {
  const value = response[member];
  if (typeof value === 'string' && value !== '' && value.length <= maxLength && /^[\x20-\x7e]+$/.test(value)) return value;
  throw malformed(member, `1 to ${maxLength} ASCII characters`);
}

// The person is told to go there, so only a web page will do.
function readAddress(value: unknown, member: string, { urlRules }: Configuration): string {
  const url = typeof value === 'string' && value.length <= 2048 && URL.canParse(value) ? new URL(value) : undefined;
  const isLocal =
    urlRules.dangerouslyAllowLoopbackHttp && url?.protocol === 'http:' && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(url.hostname);
  if (url !== undefined && (url.protocol === 'https:' || isLocal) && url.username === '') return value as string;
  throw malformed(member, 'an https URL');
}

function readSeconds(value: unknown, member: string, fallback: number | undefined): number {
  const given = value ?? fallback;
  const seconds = typeof given === 'string' && /^\d{1,10}$/.test(given) ? Number(given) : given;
  if (typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0) return seconds;
  throw malformed(member, 'seconds', value);
}

function malformed(member: string, expected: string, received?: unknown): OidcError {
  return new OidcError('OIDC_DEVICE_RESPONSE', { check: `device.${member}`, expected, received });
}
