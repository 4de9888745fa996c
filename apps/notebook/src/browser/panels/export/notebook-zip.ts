import { replaceImageLinks } from '../../files/image-links.ts';
import { type PackedFile, writeZip } from '../../files/zip/write-zip.ts';
import { numberedFileName } from './file-names.ts';
import type { ImageCopy, NotebookCopy } from './notebook-copy.ts';
import { pageFile } from './page-file.ts';

/** Each page a file, in order; the images beside them, and the pages show those. */
export function notebookZip({ pages, images }: NotebookCopy, now: number): Uint8Array<ArrayBuffer> {
  const pathOf = new Map(images.map((image, place) => [image.url, imagePath(image, place)]));
  const encoder = new TextEncoder();
  const files: PackedFile[] = pages.map((page, place) => ({
    path: numberedFileName(place, pages.length, page.title),
    bytes: encoder.encode(replaceImageLinks(pageFile(page), link => pathOf.get(link))),
  }));
  for (const { url, bytes } of images) files.push({ path: pathOf.get(url)!, bytes });
  return writeZip(files, new Date(now));
}

function imagePath({ type }: ImageCopy, place: number): string {
  return `images/${String(place + 1).padStart(2, '0')}.${type === 'image/jpeg' ? 'jpg' : type.replace('image/', '')}`;
}
