import { orientationOnly } from '../../src/model/image-files/orientation.ts';
import { checkImage, type ReadImage } from '../../src/model/image-type.ts';

/** What a reader makes of a file. @throws with the reason for which it is refused */
export function readFile(file: Buffer): ReadImage & { readonly bytes: Buffer } {
  const found = checkImage(file);
  if ('fault' in found) throw new Error(found.fault);
  return { ...found, bytes: Buffer.from(found.bytes) };
}

/** EXIF that says an orientation from 2 to 8, and nothing else. */
export const exif = (orientation: number): Buffer => Buffer.from(orientationOnly(orientation) ?? []);
