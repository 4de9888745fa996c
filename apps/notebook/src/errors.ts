/** The catalog of everything that the service refuses: code -> status and title. docs/errors.md says the same; a test keeps them equal. */
export const catalog = {
  bad_request: { status: 400, title: 'The request could not be understood.' },
  edit_token_missing: { status: 401, title: 'This needs the edit token of the notebook.' },
  password_required: { status: 401, title: 'This notebook is locked with a password.' },
  password_wrong: { status: 401, title: 'That password is wrong.' },
  edit_token_invalid: { status: 403, title: 'That edit token does not belong to this notebook.' },
  forbidden: { status: 403, title: 'Requests from other sites are not accepted here.' },
  not_found: { status: 404, title: 'There is nothing here.' },
  method_not_allowed: { status: 405, title: 'This address does not support that method.' },
  slug_taken: { status: 409, title: 'That address is already taken.' },
  read_only: { status: 409, title: 'This notebook is read-only.' },
  last_page: { status: 409, title: 'A notebook keeps at least one page.' },
  page_limit: { status: 409, title: 'This notebook has as many pages as it can hold.' },
  comment_limit: { status: 409, title: 'This notebook has as many comments as it can hold.' },
  image_limit: { status: 409, title: 'This notebook has as many images as it can hold.' },
  taken_down: { status: 410, title: 'This notebook was removed by the operator.' },
  length_required: { status: 411, title: 'The request needs a Content-Length header.' },
  stale_revision: { status: 412, title: 'The page has changed since you read it.' },
  notebook_too_large: { status: 413, title: 'This notebook holds as much text as it can.' },
  too_large: { status: 413, title: 'That is more than the service accepts.' },
  image_rejected: { status: 415, title: 'The image store did not accept that file.' },
  unsupported_media_type: { status: 415, title: 'That content type is not supported here.' },
  invalid: { status: 422, title: 'Something in the request is not valid.' },
  slug_reserved: { status: 422, title: 'That address is reserved.' },
  rate_limited: { status: 429, title: 'Too many requests. Please wait a little.' },
  internal: { status: 500, title: 'Something went wrong on our side.' },
  not_implemented: { status: 501, title: 'The service does not support that.' },
  image_store_failed: { status: 502, title: 'The image store did not accept that file.' },
  images_off: { status: 503, title: 'Image upload is not set up on this server.' },
  unavailable: { status: 503, title: 'The service is not available right now.' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof catalog;

export interface FieldError {
  /** The place in the request: `slug`, `pages[2].markdown`. */
  readonly path: string;
  readonly message: string;
}

export interface RefusalExtras {
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
  /** Seconds, for `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The current page, for `stale_revision`. */
  readonly page?: object;
}

/** A refusal that the client is meant to see. Every other error becomes `internal`. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly extras: RefusalExtras;

  /** @param options `cause` is for the operator's log, never for the client */
  constructor(code: ErrorCode, extras: RefusalExtras = {}, options: ErrorOptions = {}) {
    super(catalog[code].title, options);
    this.code = code;
    this.extras = extras;
  }

  get status(): number {
    return catalog[this.code].status;
  }
}

export function invalid(path: string, message: string): Refusal {
  return new Refusal('invalid', { detail: `${path}: ${message}`, errors: [{ path, message }] });
}

/** Says when to try again, in the unit that a person would use. */
export function rateLimited(retryAfterSeconds: number): Refusal {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const wait =
    retryAfterSeconds === 1 ? '1 second' : retryAfterSeconds <= 90 ? `${retryAfterSeconds} seconds` : `${minutes} minutes`;
  return new Refusal('rate_limited', { retryAfterSeconds, detail: `Please try again in ${wait}.` });
}
