/** Everything the gate refuses by itself: status, and what a person reads. Codes are stable. */
export const catalogue = {
  SIGN_IN_REQUIRED: { status: 401, title: 'Sign in to go on', text: 'This address needs a signed-in person.' },
  FORBIDDEN: { status: 403, title: 'You may not open this', text: 'You are signed in, but this address is for other people.' },
  NOT_FOUND: { status: 404, title: 'There is no such page', text: 'The gate has no page at this address.' },
  METHOD: { status: 405, title: 'That does not work here', text: 'This address does not take that method.' },
  ADDRESS_REFUSED: {
    status: 400,
    title: 'That address cannot be read safely',
    text: 'Servers read such an address in different ways, so it is refused.',
  },
  BAD_REQUEST: {
    status: 400,
    title: 'That request cannot be read',
    text: 'Something in the request is missing or not as it should be.',
  },
  CROSS_SITE: {
    status: 403,
    title: 'That came from another site',
    text: 'The request was started by another site, so it was not carried out.',
  },
  UNTRUSTED_PEER: {
    status: 403,
    title: 'This door is for the proxy in front',
    text: 'Only an address in trustedProxies may ask here.',
  },
  SIGN_IN_EXPIRED: {
    status: 400,
    title: 'That sign-in is over',
    text: 'It took too long, was already used, or began in another browser. Start again: it takes a moment.',
  },
  SIGN_IN_FAILED: {
    status: 403,
    title: 'The sign-in did not work',
    text: 'What the provider sent could not be accepted, so nobody was signed in.',
  },
  SIGN_IN_REFUSED: { status: 403, title: 'The provider did not sign you in', text: 'It said no, or you stopped there.' },
  SIGNED_OUT_MEANWHILE: {
    status: 403,
    title: 'You were signed out',
    text: 'The provider ended this sign-in while it was under way.',
  },
  PROVIDER_DOWN: {
    status: 503,
    title: 'The provider cannot be reached',
    text: 'Your account is fine. Try again in a moment.',
  },
  STORE_DOWN: {
    status: 503,
    title: 'Sign-in is out of order',
    text: 'The gate cannot look up who is signed in, so it stays closed. Try again in a moment.',
  },
  UPSTREAM_DOWN: {
    status: 502,
    title: 'The application cannot be reached',
    text: 'The application behind this gate does not answer. Try again in a moment.',
  },
  UPSTREAM_SLOW: {
    status: 504,
    title: 'The application takes too long',
    text: 'The application behind this gate did not answer in time. Try again in a moment.',
  },
  TOKEN_REFUSED: {
    status: 401,
    title: 'The access token is not accepted',
    text: 'It is not one for this service, or no longer good.',
  },
  ID_TOKEN_AS_CREDENTIAL: {
    status: 401,
    title: 'An ID Token is no access token',
    text: 'An ID Token tells an application who signed in. It authorizes no calls: send an access token.',
  },
  BODY_TOO_LARGE: { status: 413, title: 'That is too much', text: 'The form is larger than this address takes.' },
  INTERNAL: { status: 500, title: 'Something went wrong here', text: 'The fault is ours and has been noted.' },
} as const;

export type ErrorCode = keyof typeof catalogue;

/** A refusal on its way to the person or program that asked. `detail` is for both; it holds nothing secret. */
export class GateError extends Error {
  override readonly name = 'GateError';
  readonly code: ErrorCode;
  readonly detail: string | undefined;

  constructor(code: ErrorCode, detail?: string, options?: { cause?: unknown }) {
    super(detail === undefined ? catalogue[code].title : `${catalogue[code].title}: ${detail}`, options);
    this.code = code;
    this.detail = detail;
  }
}
