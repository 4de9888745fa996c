import { limits } from '../../../limits.ts';
import { findImageLinks, resolveLink } from '../../files/image-links.ts';
import { ZipArchive } from '../../files/zip/read-zip.ts';
import { BadZip, type ZipEntry } from '../../files/zip/zip-directory.ts';
import { type ImportedPage, readPage, Unfit } from './read-page.ts';

export interface ChosenFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What the chosen files come to, before anything is sent. */
export interface ImportPlan {
  /** In the order of their names. */
  readonly pages: readonly ImportedPage[];
  /** Those that the pages show, by path. */
  readonly images: readonly ChosenFile[];
  /** Sentences: what is left out, and why. */
  readonly leftOut: readonly string[];
}

/** Reads `.md` files and images as they are, and `.zip` archives as what is in them. Runs in a worker: a hostile file holds up nobody. */
export function readImport(chosen: readonly ChosenFile[]): ImportPlan {
  const collected = new Collected();
  for (const { path, bytes } of chosen) {
    if (isZip(path, bytes)) openArchive(path, bytes, collected);
    else collected.take(path, bytes.length, () => bytes);
  }
  return collected.plan();
}

function isZip(path: string, bytes: Uint8Array): boolean {
  return /\.zip$/i.test(path) || (bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4);
}

/** All or nothing: an archive that lies about one file is not believed about the others. */
function openArchive(name: string, bytes: Uint8Array, collected: Collected): void {
  try {
    if (bytes.length > limits.maxImportZipBytes) throw new BadZip('is larger than 100 MiB');
    const archive = new ZipArchive(bytes);
    const inside = new Collected();
    for (const entry of archive.entries) if (!isLitter(entry.path)) takeEntry(archive, entry, inside);
    collected.add(inside);
  } catch (problem) {
    if (!(problem instanceof BadZip)) throw problem;
    collected.leaveOut(name, problem.message);
  }
}

function takeEntry(archive: ZipArchive, entry: ZipEntry, collected: Collected): void {
  const path = entry.path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
  if (isStray(path)) collected.leaveOut(entry.path, 'has a path that leads out of the archive');
  else if (entry.link) collected.leaveOut(path, 'is a link to another file');
  else if (entry.encrypted) collected.leaveOut(path, 'is encrypted');
  else if (entry.method !== 0 && entry.method !== 8) collected.leaveOut(path, 'is packed in a way that cannot be read here');
  else if (/\.zip$/i.test(path)) collected.leaveOut(path, 'is a zip in the zip, which is not opened');
  else collected.take(path, entry.bytes, () => archive.unpack(entry));
}

/** Folders, and what systems leave lying about. */
function isLitter(path: string): boolean {
  if (/[\\/]$/.test(path)) return true;
  return path.split(/[\\/]/).some(part => /^(?:\.[^.]|__MACOSX$|Thumbs\.db$|desktop\.ini$)/i.test(part));
}

/** Nothing is ever written under these names; but who sends such a path means no good, or was sent it by somebody who did not. */
function isStray(path: string): boolean {
  return path === '' || path.length > 1_000 || /^(?:\/|[a-z]:)|(?:^|\/)\.\.(?:\/|$)|\p{Cc}/iu.test(path);
}

const natural = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

class Collected {
  readonly #pages: ImportedPage[] = [];
  readonly #images = new Map<string, { size: number; read: () => Uint8Array }>();
  readonly #leftOut: string[] = [];

  take(path: string, size: number, read: () => Uint8Array): void {
    if (/\.(?:md|markdown|mdown|mkd)$/i.test(path)) this.#takePage(path, size, read);
    else if (/\.(?:png|jpe?g|gif|webp|avif)$/i.test(path)) this.#images.set(path.normalize('NFC'), { size, read });
    else this.leaveOut(path, 'is neither markdown nor an image');
  }

  leaveOut(path: string, why: string): void {
    this.#leftOut.push(`${shown(path)} ${why}.`);
  }

  add(others: Collected): void {
    this.#pages.push(...others.#pages);
    for (const [path, image] of others.#images) this.#images.set(path, image);
    this.#leftOut.push(...others.#leftOut);
  }

  plan(): ImportPlan {
    const pages = this.#pages.sort((one, other) => natural.compare(one.path, other.path) || (one.path < other.path ? -1 : 1));
    return { pages, images: this.#imagesOf(pages), leftOut: this.#leftOut };
  }

  #takePage(path: string, size: number, read: () => Uint8Array): void {
    try {
      if (size > limits.maxMarkdownBytes + 3) throw new Unfit('is longer than 1 MiB');
      this.#pages.push(readPage(path, read()));
    } catch (problem) {
      if (!(problem instanceof Unfit)) throw problem;
      this.leaveOut(path, problem.message);
    }
  }

  #imagesOf(pages: readonly ImportedPage[]): ChosenFile[] {
    const wanted = new Set(
      pages.flatMap(page => findImageLinks(page.markdown).map(link => findFile(this.#images, page.path, link))),
    );
    return [...this.#images].flatMap(([path, { size, read }]) => {
      if (!wanted.has(path)) this.leaveOut(path, 'is shown by no page');
      else if (size > limits.maxImportImageBytes) this.leaveOut(path, 'is larger than 20 MiB');
      else return this.#readImage(path, read);
      return [];
    });
  }

  /** Unpacked only now, when it is known that a page shows it. */
  #readImage(path: string, read: () => Uint8Array): ChosenFile[] {
    try {
      return [{ path, bytes: read() }];
    } catch (problem) {
      if (!(problem instanceof BadZip)) throw problem;
      this.leaveOut(path, 'is damaged');
      return [];
    }
  }
}

/** By its path; else, as note programs do, by a name that only one image has. */
export function findFile(
  images: { has(path: string): boolean; keys(): Iterable<string> },
  pagePath: string,
  link: string,
): string | undefined {
  const path = resolveLink(pagePath, link);
  if (path === undefined || images.has(path)) return path;
  const name = path.replace(/^.*\//, '');
  const named = [...images.keys()].filter(other => other.replace(/^.*\//, '') === name);
  return named.length === 1 ? named[0] : undefined;
}

/** A name from outside in a sentence of ours: without what would not be seen, and not endless. */
function shown(path: string): string {
  const visible = path.replaceAll(/[\p{Cc}\p{Cf}]/gu, '\u{FFFD}');
  return visible.length > 120 ? `${visible.slice(0, 119)}…` : visible || '(no name)';
}
