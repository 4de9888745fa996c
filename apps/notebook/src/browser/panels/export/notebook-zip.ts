import { firstHeading } from '../../../markdown/heading.ts';
import { withTitle } from '../../files/front-matter.ts';
import { replaceImageLinks } from '../../files/image-links.ts';
import { restoreFile } from '../../files/original-file.ts';
import { findFile } from '../../files/read-import.ts';
import { readPage } from '../../files/read-page.ts';
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
 * Each page a file, in order; the images beside them, and the pages show those. A page that was imported becomes the file it was, with
 * what was changed since; its images go back to where they were.
 * @returns also the files that lack parts of theirs, because the page was changed there
 */
export function notebookZip({ pages, images }: NotebookCopy, now: number): MadeExport {
  const pathOf = new Map<string, string>();
  const files: Packed[] = [];
  const taken = new Set<string>();
  const fetched = new Set(images.map(({ url }) => url));
  for (const [place, page] of pages.entries()) {
    const made = page.file ? importedFile(page, page.file, pathOf, fetched) : newFile(page, place, pages.length);
    const path = taken.has(made.path) ? numberedFileName(place, pages.length, page.title) : made.path;
    taken.add(path);
    files.push({ ...made, path });
  }
  for (const [place, image] of images.entries()) if (!pathOf.has(image.url)) pathOf.set(image.url, imagePath(image, place));
  const encoder = new TextEncoder();
  const packed: PackedFile[] = files.map(({ path, text }) => ({
    path,
    bytes: encoder.encode(replaceImageLinks(text, link => relativeLink(path, pathOf.get(link)))),
  }));
  for (const { url, bytes } of images) {
    const path = pathOf.get(url)!;
    if (!taken.has(path)) packed.push({ path, bytes });
    taken.add(path);
  }
  const incomplete = files.filter(({ lost }) => lost > 0).map(({ path }) => path);
  return { bytes: writeZip(packed, new Date(now)), incomplete };
}

function newFile(page: PageCopy, place: number, count: number): Packed {
  return { path: numberedFileName(place, count, page.title), text: pageFile(page), lost: 0 };
}

/**
 * @param pathOf learns where the file's images were
 * @param fetched the others keep their addresses, so that they can be seen as long as they are on the web
 */
function importedFile(
  page: PageCopy,
  { path, patch }: NonNullable<PageCopy['file']>,
  pathOf: Map<string, string>,
  fetched: ReadonlySet<string>,
): Packed {
  const { text: restored, lost, images } = restoreFile(page.markdown, patch);
  const missing = new Map<string, string>();
  for (const [url, file] of images) {
    if (fetched.has(url)) pathOf.set(url, file);
    else missing.set(file, url);
  }
  const text =
    missing.size === 0 ? restored : replaceImageLinks(restored, link => missing.get(findFile(missing, path, link) ?? ''));
  return { path, text: titleOf(path, text) === page.title ? text : withTitle(text, page.title), lost };
}

/** As an import would call it. */
function titleOf(path: string, text: string): string {
  const { title, markdown } = readPage(path, text, () => undefined);
  return title ?? firstHeading(markdown);
}

/** From a file in a folder up to the top, and down. */
function relativeLink(path: string, target: string | undefined): string | undefined {
  return target === undefined ? undefined : '../'.repeat(path.split('/').length - 1) + encodeURI(target);
}

function imagePath({ type }: ImageCopy, place: number): string {
  return `images/${String(place + 1).padStart(2, '0')}.${type === 'image/jpeg' ? 'jpg' : type.replace('image/', '')}`;
}
