import type { ReadImage } from '../model/image-type.ts';

/** Checks files that strangers send as images, outside the process that answers requests. */
export interface ImageChecker {
  /**
   * The image without its metadata, once its pixels were shown to decode; or why it is refused, as a sentence. `busy`: too many were
   * waiting, so this one was not checked.
   * @param client who sent it; the client that used least of the checker's time comes first
   */
  check(file: Uint8Array, client?: string): Promise<ImageVerdict | 'busy'>;
  close(): Promise<void>;
}

export type ImageVerdict = ReadImage | { readonly fault: string };
