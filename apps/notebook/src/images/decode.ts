import sharp from 'sharp';
import { limits } from '../limits.ts';
import type { ImageType } from '../model/image.ts';
import { checkImage, type ReadImage } from '../model/image-type.ts';
import type { ImageVerdict } from './image-checker.ts';

/** Only the decoders of the five types: the library could also open SVG, PDF and files on disk. */
const loaders = ['JpegBuffer', 'PngBuffer', 'NsgifBuffer', 'WebpBuffer', 'HeifBuffer'].map(name => `VipsForeignLoad${name}`);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: loaders });
sharp.cache(false);
sharp.concurrency(1);

const formats: Record<ImageType, string> = { png: 'png', jpeg: 'jpeg', gif: 'gif', webp: 'webp', avif: 'heif' };

/** Reads, then decodes: the result is the file that will be stored. */
export async function checkAndDecode(file: Uint8Array): Promise<ImageVerdict> {
  const read = checkImage(file);
  if ('fault' in read) return read;
  if (read.bytes.length > limits.maxImageBytes) return { fault: 'The file is too large.' };
  return (await isDecodable(read)) ? read : { fault: 'The file has damaged pixels.' };
}

/** Decodes every pixel of every frame, but keeps only a few in memory at a time. */
async function isDecodable({ type, bytes, storedWidth, storedHeight }: ReadImage): Promise<boolean> {
  const options = { failOn: 'warning', pages: -1, sequentialRead: true, limitInputPixels: limits.maxAnimationPixels } as const;
  try {
    const image = sharp(bytes, options);
    const { format, width, height, pageHeight = height } = await image.metadata();
    if (format !== formats[type] || width !== storedWidth || pageHeight !== storedHeight) return false;
    await image.resize({ width: 8, height: 8, fit: 'fill' }).raw().toBuffer();
    return true;
  } catch {
    return false;
  }
}
