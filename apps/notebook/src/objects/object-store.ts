/**
 * The bytes of images, under keys `{notebook_id}/{random-hex}.{ext}` (spec 1 §2 "Image"). Three kinds, S3, a local folder and memory,
 * pass one contract suite. Every method throws `ObjectStoreFailed` when the store did not do what was asked, for whatever reason.
 */
export interface ObjectStore {
  /** The service itself answers at `publicUrl` (routes/image-file.ts). */
  readonly isServedHere?: true;
  /** Where readers' browsers fetch this key. */
  publicUrl(key: string): string;
  /** Stores the bytes, with exactly these headers and a Content-Length; when it resolves the object can be fetched. */
  put(key: string, bytes: Uint8Array, headers: ObjectHeaders): Promise<void>;
  /** The bytes as they come, or undefined when there is no such object. Whoever stops reading ends the request. */
  get(key: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined>;
  /**
   * Deletes them all, however many; a key that is not there counts as deleted. When it throws, some may be gone.
   * @throws ObjectsStayed when the store did what was asked, but for some of them
   */
  delete(keys: readonly string[], signal?: AbortSignal): Promise<void>;
  /** One page, at most 1,000, in the order of their keys; `after` is the `next` of the page before. */
  list(after?: string, signal?: AbortSignal): Promise<ObjectPage>;
}

export interface ObjectHeaders {
  readonly contentType: string;
  readonly cacheControl: string;
}

export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  /** Milliseconds since 1970 UTC, by the store's clock. */
  readonly modifiedAt: number;
}

export interface ObjectPage {
  readonly objects: readonly StoredObject[];
  /** Absent on the last page. */
  readonly next?: string | undefined;
}

export class ObjectStoreFailed extends Error {
  override readonly name = 'ObjectStoreFailed';
  /** There is no room for it: the same may do when somebody has made some. */
  readonly isFull: boolean;

  constructor(message: string, { isFull = false }: { readonly isFull?: boolean } = {}) {
    super(message);
    this.isFull = isFull;
  }
}

/** All others are gone: one that is locked must not keep them. */
export class ObjectsStayed extends ObjectStoreFailed {
  readonly keys: readonly string[];
  /** Of the first: a word of the store's. */
  readonly reason: string;

  constructor(keys: readonly string[], reason: string) {
    super(`delete: ${keys.length} objects stayed, the first for ${reason}`);
    this.keys = keys;
    this.reason = reason;
  }
}
