import type { ImageType } from './image.ts';
import { readAvif } from './image-files/avif.ts';
import { BadImage, Bytes } from './image-files/bytes.ts';
import { readGif } from './image-files/gif.ts';
import { readJpeg } from './image-files/jpeg.ts';
import { pngSignature, readPng } from './image-files/png.ts';
import type { ReadImage } from './image-files/read-image.ts';
import { readWebp } from './image-files/webp.ts';

export type { ReadImage } from './image-files/read-image.ts';

/** Decides by the leading bytes alone; the type that the sender declares is ignored (spec 1 §2 "Image pipeline"). */
export function findImageType(leading: Uint8Array): ImageType | undefined {
  const bytes = new Bytes(leading);
  if (bytes.startsWith(0, pngSignature)) return 'png';
  if (bytes.startsWith(0, '\xff\xd8\xff')) return 'jpeg';
  if (bytes.startsWith(0, 'GIF87a') || bytes.startsWith(0, 'GIF89a')) return 'gif';
  if (bytes.startsWith(0, 'RIFF') && bytes.startsWith(8, 'WEBP')) return 'webp';
  return bytes.startsWith(4, 'ftyp') && isAvif(bytes) ? 'avif' : undefined;
}

/** `avif` is the major brand or one of the compatible brands. */
function isAvif(bytes: Bytes): boolean {
  const end = Math.min(bytes.u32(0), bytes.length, 256);
  for (let at = 8; at + 4 <= end; at += 4) if (at !== 12 && /^avi[fs]$/.test(bytes.text(at, 4))) return true;
  return false;
}

const readers: Record<ImageType, (bytes: Bytes) => ReadImage> = {
  png: readPng,
  jpeg: readJpeg,
  gif: readGif,
  webp: readWebp,
  avif: readAvif,
};

/**
 * The picture in a file, bounded and without its metadata; or why there is none, as a sentence. Nothing is decoded here: a decoder must
 * check whether the pixels are intact, and may trust the sizes.
 */
export function checkImage(file: Uint8Array): ReadImage | { readonly fault: string } {
  try {
    const type = findImageType(file);
    if (!type) return { fault: file.length === 0 ? 'The file is empty.' : 'The file is not PNG, JPEG, GIF, WebP or AVIF.' };
    return readers[type](new Bytes(file));
  } catch (error) {
    if (error instanceof BadImage) return { fault: `The file ${error.message}.` };
    throw error;
  }
}
