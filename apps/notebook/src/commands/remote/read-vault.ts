import { readFileSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { putAddresses } from '../../browser/files/original-file.ts';
import { type ChosenFile, type ImageFile, type ImageToRead, planImport } from '../../browser/files/read-import.ts';
import type { ImportedPage } from '../../browser/files/read-page.ts';
import { limits } from '../../limits.ts';
import { imageEnding, isPagePath, markdownEnding } from '../../model/page-path.ts';
import { CommandFailed } from '../command.ts';
import { readMarkdown, toPageText } from './markdown-files.ts';

/** A local file that becomes a page. */
export interface PushedFile {
  /** As the person named it, or its path within the named folder or archive. */
  readonly name: string;
  /** Absolute; for a file in an archive, as if the archive were a folder. */
  readonly path: string;
  /** The folder or archive that its path and the paths of its images begin at. */
  readonly top: string;
  /** The file's content, with line feeds as line endings. */
  readonly original: string;
  readonly markdown: string;
  readonly title?: string | undefined;
  /** Its path within the named folder. */
  readonly filePath?: string | undefined;
  /** Named by itself, so that nothing beside it was read. */
  readonly isAlone?: boolean;
}

/** Several folders may each have an image with the same path. */
export interface PushedImage extends ImageToRead {
  readonly top: string;
}

export interface Vault {
  readonly files: readonly PushedFile[];
  /** Read when they are sent: together they may be larger than the memory. */
  readonly images: readonly PushedImage[];
  /** Sentences. */
  readonly leftOut: readonly string[];
}

/**
 * Reads files, folders and zip archives as the browser's import does.
 * @throws CommandFailed naming what cannot be read
 */
export async function readVault(names: readonly string[]): Promise<Vault> {
  const parts = await Promise.all(names.map(readOne));
  // A file that is named twice, alone and with its folder, is still one page.
  const files = new Map<string, PushedFile>();
  for (const file of parts.flatMap(part => part.files)) if (!files.has(file.path)) files.set(file.path, file);
  return {
    files: [...files.values()],
    images: parts.flatMap(({ images }) => images),
    leftOut: parts.flatMap(({ leftOut }) => leftOut),
  };
}

async function readOne(name: string): Promise<Vault> {
  const path = resolve(name);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) {
    const { chosen, links } = await readFolder(path);
    return understood(chosen, path, links);
  }
  if (/\.zip$/i.test(name) && found) return understood([{ path: basename(name), bytes: await readFile(path) }], path);
  const original = toPageText(await readMarkdown(name));
  if (!markdownEnding.test(name))
    return { files: [{ name, path, top: dirname(path), original, markdown: original, isAlone: true }], images: [], leftOut: [] };
  const filePath = isPagePath(name.split(sep).join('/')) ? name.split(sep).join('/') : basename(name);
  const plan = planImport([{ path: filePath, bytes: new TextEncoder().encode(original) }]);
  const [page] = plan.pages;
  if (!page) throw new CommandFailed(plan.leftOut[0] ?? `${name} cannot be read.`);
  return { files: [{ ...pushed(page, dirname(path)), path, name, isAlone: true }], images: [], leftOut: [] };
}

/**
 * Reads files that were named by themselves, but belong to a folder that was pushed before, as they are read with that folder: by
 * themselves they have another path, and neither their pictures nor the pages that they link to are found.
 * @param folderOf the folder of such a file
 */
export async function withFolders(vault: Vault, folderOf: (path: string) => string | undefined): Promise<Vault> {
  const folders = new Map<string, Promise<Vault>>();
  const parts = vault.files.map(async (file): Promise<Pick<Vault, 'files' | 'images'>> => {
    const folder = file.isAlone ? folderOf(file.path) : undefined;
    if (folder === undefined || !file.path.startsWith(folder + sep)) return { files: [file], images: [] };
    const read = folders.get(folder) ?? readFolder(folder).then(({ chosen }) => understood(chosen, folder));
    folders.set(folder, read);
    const { files, images } = await read;
    const inFolder = files.find(({ path }) => path === file.path);
    if (inFolder?.filePath === undefined) return { files: [file], images: [] };
    const paths = new Map(images.map(({ path }) => [path, path]));
    const shown = putAddresses(inFolder.filePath, inFolder.markdown, paths).images;
    return { files: [{ ...inFolder, name: file.name }], images: images.filter(({ path }) => shown.has(path)) };
  });
  const read = await Promise.all(parts);
  const images = new Map(read.flatMap(part => part.images).map(image => [join(image.top, image.path), image]));
  return { ...vault, files: read.flatMap(({ files }) => files), images: [...vault.images, ...images.values()] };
}

function understood(chosen: readonly (ChosenFile | ImageFile)[], top: string, links: readonly string[] = []): Vault {
  const { pages, images, leftOut } = planImport(chosen);
  return {
    files: pages.map(page => pushed(page, top)),
    images: images.map(image => ({ ...image, top })),
    leftOut: [...leftOut, ...links],
  };
}

function pushed({ path: filePath, original, markdown, title }: ImportedPage, top: string): PushedFile {
  return { name: filePath, path: join(top, filePath), top, original, markdown, title, filePath };
}

interface Folder {
  readonly chosen: readonly (ChosenFile | ImageFile)[];
  /** Sentences about links, which may lead to files that nobody means to publish, or round and round. */
  readonly links: readonly string[];
}

/** Note programs' own data, in folders that begin with a dot, is left out. */
async function readFolder(top: string): Promise<Folder> {
  const paths: string[] = [];
  const links: string[] = [];
  for (const folders = ['']; folders.length > 0; ) {
    const folder = folders.pop()!;
    for (const entry of await readdir(join(top, folder), { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const path = folder + entry.name;
      const isWanted = markdownEnding.test(path) || imageEnding.test(path);
      if (entry.isDirectory()) folders.push(`${path}/`);
      else if (entry.isFile() && isWanted) paths.push(path);
      else if (entry.isSymbolicLink()) {
        const isFolder = (await stat(join(top, path)).catch(() => undefined))?.isDirectory();
        if (isFolder || isWanted) links.push(`${path} is a link to another ${isFolder ? 'folder' : 'file'}.`);
      }
    }
  }
  if (paths.length > limits.maxImportZipEntries)
    throw new CommandFailed(`${top} holds ${paths.length} files, at most ${limits.maxImportZipEntries} are read.`);
  const chosen = await Promise.all(
    paths.map(async path => {
      const place = join(top, path);
      if (!imageEnding.test(path)) return { path, bytes: await readFile(place) };
      return { path, size: (await stat(place)).size, read: () => readFileSync(place) };
    }),
  );
  return { chosen, links };
}
