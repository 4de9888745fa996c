import type { ReadImage } from '../model/image-type.ts';

/** Looks at what a stranger sent as an image, away from the process that answers requests. */
export interface ImageChecker {
  /**
   * The image without its metadata, its pixels proven to decode; or why it is refused, as a sentence. `busy`: so many wait already
   * that this one was not looked at.
   * @param client who sent it: of several, one who used least of the checker's time comes first
   */
  check(file: Uint8Array, client?: string): Promise<ImageVerdict | 'busy'>;
  close(): Promise<void>;
}

export type ImageVerdict = ReadImage | { readonly fault: string };
