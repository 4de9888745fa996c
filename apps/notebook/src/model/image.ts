/** Types that may be stored, detected by their leading bytes (spec 1 §2 "Image pipeline"). */
export const imageTypes = ['png', 'jpeg', 'gif', 'webp', 'avif'] as const;
export type ImageType = (typeof imageTypes)[number];

/** The record of one stored image. */
export interface Image {
  /** 32 hexadecimal digits: the random part of its key. */
  readonly id: string;
  readonly notebookId: string;
  /** In the object store: `{notebook_id}/{random-hex}.{ext}`. */
  readonly key: string;
  readonly type: ImageType;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
}

/** The content at an image's address never changes (spec 1 §2 "Image"). */
export const imageCacheControl = 'public, max-age=31536000, immutable';

const extensions: Record<ImageType, string> = { png: 'png', jpeg: 'jpg', gif: 'gif', webp: 'webp', avif: 'avif' };

export function objectKey(notebookId: string, imageId: string, type: ImageType): string {
  return `${notebookId}/${imageId}.${extensions[type]}`;
}

/** The keys that an upload may have used before its type was recorded. */
export function possibleKeys(notebookId: string, imageId: string): string[] {
  return imageTypes.map(type => objectKey(notebookId, imageId, type));
}

/** The notebook in a key of ours; in any other key, the text before its first slash. */
export function notebookIdOf(key: string): string {
  return key.split('/', 1)[0] ?? '';
}

export function contentTypeOf(type: ImageType): string {
  return `image/${type}`;
}

// super-linear: anchored, and all lengths are fixed.
const keyShape = new RegExp(`^[0-9a-f]{32}/[0-9a-f]{32}\\.(?:${Object.values(extensions).join('|')})$`);

/**
 * What tells whether two addresses are of the same image of ours: the key at the end. The store or PUBLIC_URL may have moved since the text
 * was written, and no other image has these random digits. Any other address is compared as browsers read it.
 */
export function identifyImage(address: string): string {
  const url = URL.parse(address);
  const key = url?.pathname.split('/').slice(-2).join('/') ?? '';
  return isObjectKey(key) ? key : (url?.href ?? address);
}

/** Whether `objectKey` could have made this key. Other objects in the bucket are not ours. */
export function isObjectKey(key: string): boolean {
  return keyShape.test(key);
}
