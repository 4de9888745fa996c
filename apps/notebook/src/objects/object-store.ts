/**
 * The bytes of images, under keys `{notebook_id}/{random-hex}.{ext}` (spec 1 §2 "Image"). Three kinds (S3, a local folder and memory) pass
 * one contract suite. Every method throws `ObjectStoreFailed` when the store did not do what was asked, for whatever reason.
 */
export interface ObjectStore {
  /** True when the service itself answers at `publicUrl` (routes/image-file.ts). */
  readonly isServedHere?: true;
  /** Called before the service listens, so that no upload waits for what a first request loads. Sends nothing. */
  prepare?(): Promise<void>;
  /** The address from which readers' browsers fetch this key. */
  publicUrl(key: string): string;
  /** Stores the bytes, with exactly these headers and a Content-Length; when it resolves the object can be fetched. */
  put(key: string, bytes: Uint8Array, headers: ObjectHeaders): Promise<void>;
  /** The bytes as a stream, or undefined when there is no such object. To stop reading ends the request. */
  get(key: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined>;
  /**
   * Deletes them all, however many; a missing key counts as deleted. When it throws, some may be gone.
   * @throws ObjectsNotDeleted when the store did what was asked, except for some of them
   */
  delete(keys: readonly string[], signal?: AbortSignal): Promise<void>;
  /** One page of at most 1,000, ordered by key; `after` is the `next` of the page before. */
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
  /** There is no room for it: the same request may succeed once some was made. */
  readonly isFull: boolean;

  constructor(message: string, { isFull = false }: { readonly isFull?: boolean } = {}) {
    super(message);
    this.isFull = isFull;
  }
}

/** All other objects are gone: one that is locked must not hold them up. */
export class ObjectsNotDeleted extends ObjectStoreFailed {
  readonly keys: readonly string[];
  /** The store's reason for the first one. */
  readonly reason: string;

  constructor(keys: readonly string[], reason: string) {
    super(`delete: ${keys.length} objects stayed, the first for ${reason}`);
    this.keys = keys;
    this.reason = reason;
  }
}
