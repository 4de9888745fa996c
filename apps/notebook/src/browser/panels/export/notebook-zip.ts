import { firstHeading } from '../../../markdown/heading.ts';
import { isImagePath, isNotePath } from '../../../model/page-path.ts';
import { withTitle } from '../../files/front-matter.ts';
import { replaceImageLinks } from '../../files/image-links.ts';
import { restoreFile } from '../../files/original-file.ts';
import { findFile } from '../../files/read-import.ts';
import { readPage } from '../../files/read-page.ts';
import { address } from '../../files/wiki-links.ts';
import { type PackedFile, writeZip } from '../../files/zip/write-zip.ts';
import { numberedFileName } from './file-names.ts';
import type { ImageCopy, MadeExport, NotebookCopy, PageCopy } from './notebook-copy.ts';
import { pageFile } from './page-file.ts';

interface Packed {
  readonly path: string;
  readonly text: string;
  /** Parts of the imported file that could not be put back. */
  readonly lost: number;
}

/**
 * Packs each page as a file, in order, with the images it shows beside it. An imported page becomes its original file again, with
 * the changes made since, and its images go back to their places.
 * @returns also the files with missing parts, because the page was changed there
 */
export function notebookZip({ pages, images }: NotebookCopy, now: number): MadeExport {
  const imageAt = new Map<string, string>();
  const files: Packed[] = [];
  const taken = new Set<string>();
  const fetched = new Set(images.map(({ url }) => url));
  for (const [place, page] of pages.entries()) {
    const made =
      page.file && isNotePath(page.file.path)
        ? importedFile(page, page.file, imageAt, fetched)
        : newFile(page, place, pages.length);
    const numbered = () => numberedFileName(place, pages.length, page);
    const path = taken.has(made.path) ? freePath(numbered(), taken) : made.path;
    taken.add(path);
    files.push({ ...made, path });
  }
  const pathOf = new Map([...imageAt].map(([path, url]) => [url, path]));
  for (const [place, image] of images.entries()) {
    if (pathOf.has(image.url)) continue;
    const path = freePath(imagePath(image, place), imageAt);
    imageAt.set(path, image.url);
    pathOf.set(image.url, path);
  }
  const encoder = new TextEncoder();
  const packed: PackedFile[] = files.map(({ path, text }) => ({
    path,
    bytes: encoder.encode(replaceImageLinks(text, link => relativeLink(path, pathOf.get(link)))),
  }));
  const bytesOf = new Map(images.map(({ url, bytes }) => [url, bytes]));
  for (const [path, url] of imageAt) if (!taken.has(path)) packed.push({ path, bytes: bytesOf.get(url)! });
  const incomplete = files.filter(({ lost }) => lost > 0).map(({ path }) => path);
  return { bytes: writeZip(packed, new Date(now)), incomplete };
}

function newFile(page: PageCopy, place: number, count: number): Packed {
  return { path: numberedFileName(place, count, page), text: pageFile(page), lost: 0 };
}

/**
 * @param imageAt gets the place of each image; a second image with the same name gets another one
 * @param fetched images not in this set keep their web addresses, so that they are visible as long as they are online
 */
function importedFile(
  page: PageCopy,
  { path, patch }: NonNullable<PageCopy['file']>,
  imageAt: Map<string, string>,
  fetched: ReadonlySet<string>,
): Packed {
  const { text: restored, lost, images } = restoreFile(page.markdown, patch);
  const missing = new Map<string, string>();
  for (const [file, url] of images) {
    if (fetched.has(url) && isImagePath(file) && (imageAt.get(file) ?? url) === url) imageAt.set(file, url);
    else missing.set(file, url);
  }
  const text =
    missing.size === 0 ? restored : replaceImageLinks(restored, link => missing.get(findFile(missing, path, link) ?? ''));
  return { path, text: titleOf(path, text) === page.title ? text : withTitle(text, page.title), lost };
}

/** Two files with the same path would become one when unpacked. */
function freePath(wanted: string, taken: { has(path: string): boolean }): string {
  let path = wanted;
  for (let copy = 2; taken.has(path); copy += 1) path = wanted.replace(/\.\w+$/, `-${copy}$&`);
  return path;
}

/** The title that an import would give it. */
function titleOf(path: string, text: string): string {
  const { title, markdown } = readPage(path, text, () => undefined);
  return title ?? firstHeading(markdown);
}

/** Makes a relative link from a file in a folder up to the root and down to the target. */
function relativeLink(path: string, target: string | undefined): string | undefined {
  return target === undefined ? undefined : '../'.repeat(path.split('/').length - 1) + address(target);
}

function imagePath({ type }: ImageCopy, place: number): string {
  return `images/${String(place + 1).padStart(2, '0')}.${type === 'image/jpeg' ? 'jpg' : type.replace('image/', '')}`;
}
