/** Everything the gate itself refuses: status, and the text people read. Codes are stable. */
export const catalog = {
  SIGN_IN_REQUIRED: { status: 401, title: 'Sign in to continue', text: 'You need to sign in to open this address.' },
  FORBIDDEN: { status: 403, title: 'Access denied', text: 'You do not have access to this address.' },
  NOT_FOUND: { status: 404, title: 'Page not found', text: 'The gate has no page at this address.' },
  METHOD: { status: 405, title: 'Method not allowed', text: 'This address does not support that method.' },
  ADDRESS_REFUSED: {
    status: 400,
    title: 'This address is ambiguous',
    text: 'Servers can read this address in different ways, so we refuse it.',
  },
  BAD_REQUEST: {
    status: 400,
    title: 'The request is not valid',
    text: 'Something in the request is missing or malformed.',
  },
  CROSS_SITE: {
    status: 403,
    title: 'Request from another site',
    text: 'Another site started this request, so we did not carry it out.',
  },
  UNTRUSTED_PEER: {
    status: 403,
    title: 'This address is for the reverse proxy',
    text: 'Only an address in trustedProxies may call it.',
  },
  SIGN_IN_EXPIRED: {
    status: 400,
    title: 'This sign-in has expired',
    text: 'It took too long, was already used, or started in another browser. Please start again.',
  },
  SIGN_IN_FAILED: {
    status: 403,
    title: 'Sign-in failed',
    text: 'We could not accept what the provider sent, so you are not signed in.',
  },
  SIGN_IN_REFUSED: {
    status: 403,
    title: 'The provider did not sign you in',
    text: 'The provider refused the sign-in, or you canceled it.',
  },
  SIGNED_OUT_MEANWHILE: {
    status: 403,
    title: 'You were signed out',
    text: 'The provider signed you out before this sign-in was complete.',
  },
  SESSION_TOO_LARGE: {
    status: 500,
    title: 'Your sign-in is too large',
    text: 'The provider said more about you than this site can keep, so you are not signed in. Contact the site’s administrator: the log says how much it was.',
  },
  PROVIDER_DOWN: {
    status: 503,
    title: 'The provider is unavailable',
    text: 'Your account is fine. Try again in a moment.',
  },
  STORE_DOWN: {
    status: 503,
    title: 'Sign-in is unavailable',
    text: 'The gate cannot check who is signed in, so it refused this request. Try again in a moment.',
  },
  UPSTREAM_DOWN: {
    status: 502,
    title: 'The application is unavailable',
    text: 'The application behind this gate is not responding. Try again in a moment.',
  },
  UPSTREAM_SLOW: {
    status: 504,
    title: 'The application timed out',
    text: 'The application behind this gate did not respond in time. Try again in a moment.',
  },
  TOKEN_REFUSED: {
    status: 401,
    title: 'The access token is not accepted',
    text: 'It was issued for another service, or it is no longer valid.',
  },
  TOKENS_BUSY: {
    status: 503,
    title: 'Access tokens cannot be checked now',
    text: 'Too many access tokens are being checked at once. Try again in a moment.',
  },
  TOO_MANY_TOKENS: {
    status: 429,
    title: 'Too many unknown access tokens',
    text: 'Too many access tokens that came from your network address were refused. Try again in a moment.',
  },
  ID_TOKEN_AS_CREDENTIAL: {
    status: 401,
    title: 'An ID Token is not an access token',
    text: 'An ID Token tells an application who signed in. It does not authorize calls: send an access token.',
  },
  BODY_TOO_LARGE: { status: 413, title: 'Form too large', text: 'The form is larger than this address accepts.' },
  BUSY: {
    status: 503,
    title: 'Too many forms at once',
    text: 'We are receiving too many forms at the same time, so we did not accept yours. Send it again in a moment.',
  },
  APPLICATION_BUSY: {
    status: 503,
    title: 'Too many requests at once',
    text: 'The application is serving as many requests as it can. Try again in a moment.',
  },
  FORM_NOT_KEPT: {
    status: 413,
    title: 'Your form was not sent',
    text: 'You are no longer signed in, and the form is too large to keep until you are. Open this site in a new tab and sign in there. Then go back in this tab and send the form again.',
  },
  FORM_ELSEWHERE: {
    status: 400,
    title: 'Your form was not sent',
    text: 'You are not signed in here, and nobody can be: this page is open under another address of the site.',
  },
  FORM_LOST: {
    status: 410,
    title: 'Your form was not sent',
    text: 'You are signed in now, but we no longer have your form. We keep one for 15 minutes, for the browser that sent it. Please fill it in again.',
  },
  INTERNAL: { status: 500, title: 'Something went wrong here', text: 'This is our fault, and we have logged it.' },
} as const;

export type ErrorCode = keyof typeof catalog;

/** A refusal on its way to the person or program that asked. `detail` is for both; it holds nothing secret. */
export class GateError extends Error {
  override readonly name = 'GateError';
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  /** With `METHOD`: the methods that the address supports (RFC 9110 §15.5.6). */
  readonly allow: readonly string[] | undefined;
  /** With a 503: when to try again, where known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, detail?: string, { allow, retryAfterSeconds, ...options }: GateErrorFacts = {}) {
    super(detail === undefined ? catalog[code].title : `${catalog[code].title}: ${detail}`, options);
    this.code = code;
    this.detail = detail;
    this.allow = allow;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface GateErrorFacts {
  readonly cause?: unknown;
  readonly allow?: readonly string[];
  readonly retryAfterSeconds?: number | undefined;
}

/** @throws {@link GateError} `METHOD` */
export function requireMethod(method: string | undefined, allowed: readonly string[]): void {
  if (!allowed.includes(method ?? '')) throw new GateError('METHOD', `Use ${allowed.join(' or ')}.`, { allow: allowed });
}
