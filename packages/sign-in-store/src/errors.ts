/** The errors of the store, with the HTTP status that a server should answer with. */
export const storeErrorCatalogue = {
  STORE_UNAVAILABLE: { status: 503, title: 'The store is unavailable' },
  STORE_INVALID: { status: 500, title: 'A value passed to the store is not valid' },
  STORE_URL: { status: 500, title: 'The store address must be sqlite:PATH or postgres://…' },
  STORE_NEWER: { status: 500, title: 'The store was set up by a newer version of this package' },
} as const;

export type StoreErrorCode = keyof typeof storeErrorCatalogue;

/** The only error that this package throws. `status` is 503 for an outage: answer "try again later", never "refused". */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  readonly status: number;

  constructor(code: StoreErrorCode, detail?: string, options?: { cause?: unknown }) {
    const { title, status } = storeErrorCatalogue[code];
    super(detail === undefined ? title : `${title}: ${detail}`, options);
    this.code = code;
    this.status = status;
  }
}
