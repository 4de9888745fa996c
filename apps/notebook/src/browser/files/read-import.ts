import { limits } from '../../limits.ts';
import { composed } from '../../model/mark-runs.ts';
import { imageEnding, markdownEnding } from '../../model/page-path.ts';
import { textStart } from '../../model/text-start.ts';
import { readingsOf, replaceImageLinks, resolveLink } from './image-links.ts';
import { type ImportedPage, readPage, readText, UnusableFile } from './read-page.ts';
import type { FindFile } from './wiki-links.ts';
import { Allowance, ZipArchive } from './zip/read-zip.ts';
import { BadZip, type ZipEntry } from './zip/zip-directory.ts';

export interface ChosenFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** An image that is not in memory yet. */
export interface ImageToRead {
  readonly path: string;
  /** @throws BadZip when it is damaged in its archive */
  readonly read: () => Uint8Array;
}

/** An image beside the Markdown files of a folder. */
export interface ImageFile extends ImageToRead {
  readonly size: number;
}

/** The result of reading the chosen files, before anything is sent. */
interface Plan<Image> {
  /** Sorted by name. */
  readonly pages: readonly ImportedPage[];
  /** The images that the pages show. */
  readonly images: readonly Image[];
  /** Sentences that say what is left out and why. */
  readonly leftOut: readonly string[];
}

export type ImportPlan = Plan<ChosenFile>;

/** Reads `.md` files, images and the contents of `.zip` archives. It runs in a worker, so that a hostile file blocks nobody. */
export function readImport(chosen: readonly ChosenFile[]): ImportPlan {
  const { pages, images, leftOut } = planImport(chosen);
  const damaged: string[] = [];
  const intact = images.flatMap(({ path, read }) => {
    try {
      return [{ path, bytes: read() }];
    } catch (problem) {
      if (!(problem instanceof BadZip)) throw problem;
      damaged.push(sentence(path, 'is damaged'));
      return [];
    }
  });
  return { pages, images: intact, leftOut: [...leftOut, ...damaged] };
}

/** The same without reading any image. */
export function planImport(chosen: readonly (ChosenFile | ImageFile)[]): Plan<ImageToRead> {
  const collected = new Collected();
  for (const file of chosen) {
    if (!('bytes' in file)) collected.take(file.path, file.size, file.read);
    else if (isZip(file.path, file.bytes)) openArchive(file.path, file.bytes, collected);
    else collected.take(file.path, file.bytes.length, () => file.bytes);
  }
  return collected.plan();
}

const isZipName = (path: string) => /\.zip$/i.test(path);
const isPage = (path: string) => markdownEnding.test(path);

function isZip(path: string, bytes: Uint8Array): boolean {
  return isZipName(path) || (bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4);
}

/** Takes an archive completely or not at all: if it lies about one file, the others are not trusted either. */
function openArchive(name: string, bytes: Uint8Array, collected: Collected): void {
  try {
    if (bytes.length > limits.maxImportZipBytes) throw new BadZip('is larger than 100 MiB');
    const allowance = new Allowance();
    const archive = new ZipArchive(bytes, allowance);
    const entries = archive.entries.filter(({ path }) => !isIgnored(path));
    const inside = new Collected();
    const isWrapper = !entries.some(({ path }) => isPage(path));
    for (const entry of entries) {
      if (isWrapper && isOpenable(entry)) openPart(archive, entry, { allowance, inside });
      else takeEntry(archive, entry, pathOf(entry), inside);
    }
    collected.add(inside);
  } catch (problem) {
    if (!(problem instanceof BadZip)) throw problem;
    collected.leaveOut(name, problem.message);
  }
}

const pathOf = ({ path }: ZipEntry) => path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');

/** Whether an entry is a zip archive that may be opened. */
function isOpenable(entry: ZipEntry): boolean {
  const path = pathOf(entry);
  return isZipName(path) && !isUnsafePath(path) && !entry.link && !entry.encrypted && (entry.method === 0 || entry.method === 8);
}

interface Opening {
  readonly allowance: Allowance;
  readonly inside: Collected;
}

/**
 * Opens a part of a Notion export, which is a zip without pages that holds zip archives with the pages. The files go where the part lay. An
 * archive beside pages is an attachment, and a zip inside a part is left out like an attachment.
 * @throws BadZip naming the part
 */
function openPart(outer: ZipArchive, part: ZipEntry, { allowance, inside }: Opening): void {
  const bytes = outer.unpack(part);
  const path = pathOf(part);
  try {
    const archive = new ZipArchive(bytes, allowance);
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    for (const entry of archive.entries)
      if (!isIgnored(entry.path)) takeEntry(archive, entry, isUnsafePath(pathOf(entry)) ? '' : folder + pathOf(entry), inside);
  } catch (problem) {
    if (!(problem instanceof BadZip)) throw problem;
    throw new BadZip(`holds ${shown(path)}, which ${problem.message}`);
  }
}

/** @param path the entry's path here; empty when its own leads out of the archive */
function takeEntry(archive: ZipArchive, entry: ZipEntry, path: string, collected: Collected): void {
  if (isUnsafePath(path)) collected.leaveOut(entry.path, 'has a path that leads out of the archive');
  else if (entry.link) collected.leaveOut(path, 'is a link to another file');
  else if (entry.encrypted) collected.leaveOut(path, 'is encrypted');
  else if (entry.method !== 0 && entry.method !== 8) collected.leaveOut(path, 'is packed in a way that cannot be read here');
  else if (isZipName(path)) collected.leaveOut(path, 'is a zip in the zip, which is not opened');
  else collected.take(path, entry.bytes, () => archive.unpack(entry));
}

/** Folders, and files that operating systems leave behind. */
function isIgnored(path: string): boolean {
  if (/[\\/]$/.test(path)) return true;
  return path.split(/[\\/]/).some(part => /^(?:\.[^.]|__MACOSX$|Thumbs\.db$|desktop\.ini$)/i.test(part));
}

/** Paths that lead out of the archive. We write no files, but such a path comes from an attacker. */
function isUnsafePath(path: string): boolean {
  return path === '' || path.length > 1_000 || /^(?:\/|[a-z]:)|(?:^|\/)\.\.(?:\/|$)|\p{Cc}/iu.test(path);
}

const natural = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

const withoutEnding = (path: string) => path.replace(markdownEnding, '');

/** Sorts as a person would: numbers by value, and a page before the folder with its subpages (Notion gives both the same name). */
function compareFiles(one: string, other: string): number {
  const [here, there] = [withoutEnding(one).split('/'), withoutEnding(other).split('/')];
  const folders = natural.compare(one.includes('/') ? '1' : '0', other.includes('/') ? '1' : '0');
  const top = here.length > 1 !== there.length > 1 && here[0] !== there[0] ? folders : 0;
  if (top !== 0) return top;
  for (const [place, part] of here.entries()) {
    const difference = natural.compare(part, there[place] ?? '');
    if (difference !== 0) return difference;
  }
  return here.length - there.length || (one < other ? -1 : 1);
}

/** Finds a file by its path, with or without the extension, else by its name alone, as note apps do. */
function fileFinder(paths: readonly string[]): FindFile {
  const exact = new Map<string, string>();
  const named = new Map<string, string>();
  for (const path of [...paths].sort((one, other) => one.length - other.length)) {
    for (const key of [path, withoutEnding(path)].map(text => composed(text).toLowerCase())) {
      if (!exact.has(key)) exact.set(key, path);
      const name = key.slice(key.lastIndexOf('/') + 1);
      if (!named.has(name)) named.set(name, path);
    }
  }
  return name => {
    const key = composed(name).toLowerCase().replace(/^\//, '');
    return exact.get(key) ?? named.get(key.slice(key.lastIndexOf('/') + 1));
  };
}

class Collected {
  readonly #texts: { readonly path: string; readonly text: string }[] = [];
  readonly #images = new Map<string, { size: number; read: () => Uint8Array }>();
  readonly #leftOut: string[] = [];

  take(path: string, size: number, read: () => Uint8Array): void {
    if (isPage(path)) this.#takePage(path, size, read);
    else if (imageEnding.test(path)) this.#images.set(composed(path), { size, read });
    else this.leaveOut(path, 'is neither Markdown nor an image');
  }

  leaveOut(path: string, why: string): void {
    this.#leftOut.push(sentence(path, why));
  }

  add(others: Collected): void {
    this.#texts.push(...others.#texts);
    for (const [path, image] of others.#images) this.#images.set(path, image);
    this.#leftOut.push(...others.#leftOut);
  }

  plan(): Plan<ImageToRead> {
    const find = fileFinder([...this.#texts.map(({ path }) => path), ...this.#images.keys()]);
    const pages = this.#texts.sort((one, other) => compareFiles(one.path, other.path)).flatMap(file => this.#convert(file, find));
    return { pages, images: this.#imagesOf(pages), leftOut: this.#leftOut };
  }

  #takePage(path: string, size: number, read: () => Uint8Array): void {
    try {
      if (size > limits.maxMarkdownBytes + 3) throw new UnusableFile('is longer than 1 MiB');
      this.#texts.push({ path, text: readText(read()) });
    } catch (problem) {
      if (!(problem instanceof UnusableFile)) throw problem;
      this.leaveOut(path, problem.message);
    }
  }

  #convert({ path, text }: { path: string; text: string }, find: FindFile): ImportedPage[] {
    try {
      return [readPage(path, text, find)];
    } catch (problem) {
      if (!(problem instanceof UnusableFile)) throw problem;
      this.leaveOut(path, problem.message);
      return [];
    }
  }

  #imagesOf(pages: readonly ImportedPage[]): ImageToRead[] {
    const wanted = new Set<string>();
    for (const { path, markdown } of pages)
      replaceImageLinks(markdown, link => {
        const file = findFile(this.#images, path, link);
        if (file !== undefined) wanted.add(file);
        return file;
      });
    return [...this.#images].flatMap(([path, { size, read }]) => {
      if (!wanted.has(path)) this.leaveOut(path, 'is shown by no page');
      else if (size > limits.maxImportImageBytes) this.leaveOut(path, 'is larger than 20 MiB');
      else return [{ path, read }];
      return [];
    });
  }
}

interface ImagePaths {
  has(path: string): boolean;
  keys(): Iterable<string>;
}

/** Finds an image by its path, else, as note apps do, by a name that only one image has, whatever its case. */
export function findFile(images: ImagePaths, pagePath: string, link: string): string | undefined {
  const paths = [...readingsOf(link)].flatMap(reading => resolveLink(pagePath, reading) ?? []);
  const exact = paths.find(path => images.has(path));
  if (exact !== undefined || paths.length === 0) return exact;
  for (const [place, named] of namesOf(images).entries())
    for (const path of paths) {
      const found = named.get(nameParts[place]!(path));
      if (found) return found;
    }
  return undefined;
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);
const nameParts = [nameOf, (path: string) => path.toLowerCase(), (path: string) => nameOf(path).toLowerCase()];

type Names = readonly ReadonlyMap<string, string>[];
const allNames = new WeakMap<ImagePaths, Names>();

/** The images by each part of their names; empty where several have the same. Made once, because no image is added after the first question. */
function namesOf(images: ImagePaths): Names {
  const before = allNames.get(images);
  if (before) return before;
  const names = nameParts.map(part => {
    const named = new Map<string, string>();
    for (const path of images.keys()) named.set(part(path), named.has(part(path)) ? '' : path);
    return named;
  });
  allNames.set(images, names);
  return names;
}

const sentence = (path: string, why: string) => `${shown(path)} ${why}.`;

/** Makes a foreign name fit for our sentences: invisible characters are replaced and the length is limited. */
function shown(path: string): string {
  const visible = path.replaceAll(/[\p{Cc}\p{Cf}]/gu, '\u{FFFD}');
  return visible.length > 120 ? `${textStart(visible, 119)}…` : visible || '(no name)';
}
