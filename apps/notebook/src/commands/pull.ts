import { readFile } from 'node:fs/promises';
import { basename, dirname, join, normalize, relative, resolve, sep } from 'node:path';
import type { ApiPage, ApiPageFile } from '../api/types.ts';
import { restoreFile } from '../browser/files/original-file.ts';
import { pageName } from '../model/page-name.ts';
import { isImagePath, isNotePath } from '../model/page-path.ts';
import { readArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { connect, readServer, readSlugOrLink, sha256 } from './remote/connect.ts';
import { fetchImages, type ImagePlace } from './remote/fetch-images.ts';
import { type KeptFile, type KeptImages, type KeptNotebook, KeptNotebooks } from './remote/kept-notebooks.ts';
import {
  FileRefused,
  findMarkdown,
  isInArchive,
  numberedFileName,
  toPageText,
  writeAtomically,
} from './remote/markdown-files.ts';
import { linksOfPull, type PulledLinks, withoutOwn } from './remote/pulled-links.ts';

interface Place {
  readonly path: string;
  readonly page: ApiPage;
  /** The text of the file. */
  readonly text: string;
  /** The folder that it is pulled into. Only the push knows the folder of a file elsewhere. */
  readonly folder: string | undefined;
  /** The number of parts of the file that could not be restored. */
  readonly lost: number;
  /** Images that the file shows and that were imported with it. */
  readonly images: readonly (ImagePlace & { readonly name: string })[];
  /** Its path from the root, where the names of images begin. */
  readonly filePath: string;
}

/** Writes the pages of a notebook to files. A file that was changed here since then is left as it is. */
export const pull: Command = {
  usage: 'pull SLUG [FOLDER] [--server URL] [--force]',
  about: 'pages to files, in a folder named by the slug',
  async run(args, terminal) {
    const { words, flags, options } = readArguments(args, {
      words: ['the slug'],
      more: 1,
      flags: ['force'],
      options: ['server'],
    });
    const { slug, server: named } = readSlugOrLink(words[0]!);
    const notebooks = new KeptNotebooks(terminal);
    const { kept, notebook, server } = await connect(terminal, notebooks, readServer(options.server ?? named, terminal), slug);
    const { server: origin, editToken } = kept;
    const keep = (news: Partial<KeptNotebook>) => notebooks.keep({ server: origin, slug, editToken, files: {}, ...news });
    let left = 0;
    const imported = await server.listFiles(slug);
    const images = new Map<string, ImagePlace>();
    const restored: { readonly place: Place; readonly record: KeptFile & { readonly pulledLinks: PulledLinks } }[] = [];
    const places = { files: await withoutArchived(kept.files), pages: notebook.pages, imported };
    for (const place of placesOf(places, slug, words[1])) {
      const { path, page, text, lost } = place;
      const name = relative('', path);
      const leave = (why: string) => {
        left += 1;
        terminal.complain(`${name}: ${why}`);
      };
      try {
        const here = await findMarkdown(path);
        const isSame = here?.text === toPageText(text);
        if (here && !isSame && sha256(here.text) !== kept.files[path]?.sha256 && !flags.force) {
          leave('was changed here since and is left as it is (--force replaces it)');
          continue;
        }
        if (lost > 0 && !isSame) {
          const parts = `${lost} ${lost === 1 ? 'part' : 'parts'} of the file, such as comments, could not be put back, because the page was changed there`;
          if (here && !flags.force) {
            leave(`${parts}; it is left as it is (--force replaces it)`);
            continue;
          }
          terminal.complain(`${name}: ${parts}`);
        }
        if (!isSame) await writeAtomically(path, here ? here.toFileForm(toPageText(text)) : text);
        // Recorded at once: a file without a record would be pushed as another page.
        const folder = kept.files[path]?.folder ?? place.folder;
        const pulledLinks = linksOfPull(text, here?.text, kept.files[path]?.pulledLinks);
        const same = { pageId: page.id, revision: page.revision, sha256: sha256(toPageText(text)), folder, pulledLinks };
        await keep({ files: { [path]: same } });
        for (const image of place.images) images.set(image.path, image);
        if (place.images.length > 0 && pulledLinks.length > 0) restored.push({ place, record: same });
        terminal.print(`${name}: ${isSame ? 'unchanged' : here ? 'replaced' : 'written'}`);
      } catch (error) {
        if (!(error instanceof FileRefused)) throw error;
        leave(error.message);
      }
    }
    const fetched = await fetchImages(terminal, server, slug, [...images.values()]);
    left += fetched.missing;
    await keep({ images: fetched.images });
    for (const { place, record } of restored) {
      const pulledLinks = withoutOwn(record.pulledLinks, place.filePath, await ownImages(place, fetched.written, kept.images));
      await keep({ files: { [place.path]: { ...record, pulledLinks } } });
    }
    return left === 0 ? 0 : 1;
  },
};

/** Images of a file that this pull wrote, or that were pushed or pulled before, by their path from the root. */
async function ownImages(
  { images }: Place,
  written: ReadonlySet<string>,
  known: KeptImages = {},
): Promise<ReadonlyMap<string, string>> {
  const own = new Map<string, string>();
  for (const { path, name } of images) {
    const isOwn = written.has(path) || Object.hasOwn(known, sha256(await readFile(path).catch(() => '')));
    if (isOwn) own.set(name, path);
  }
  return own;
}

type KeptFiles = KeptNotebook['files'];

/** Leaves out pages that were pushed in a zip archive: their paths are inside it, where nothing can be written. */
async function withoutArchived(files: KeptFiles): Promise<KeptFiles> {
  const kept: [string, KeptFiles[string]][] = [];
  for (const [path, file] of Object.entries(files)) if (!(await isInArchive(path))) kept.push([path, file]);
  return Object.fromEntries(kept);
}

interface Pulled {
  readonly files: KeptFiles;
  readonly pages: readonly ApiPage[];
  readonly imported: readonly ApiPageFile[];
}

/** A page goes to the file that it came from, within the named folder if one was given; other pages get a new name there. */
function placesOf({ files, pages, imported }: Pulled, slug: string, named: string | undefined): Place[] {
  const folder = resolve(named ?? slug);
  const known = Object.entries(files).filter(([path]) => named === undefined || path.startsWith(folder + sep));
  const pathOf = new Map(known.map(([path, { pageId }]) => [pageId, path]));
  const fileOf = new Map(imported.map(file => [file.pageId, file]));
  // Paths of all known pages: a new page is named by its position, and that name may still belong to another page's file.
  const taken = new TakenPaths(
    folder,
    pages.flatMap(({ id }) => pathOf.get(id) ?? []),
  );
  return pages.map((page, place) => {
    const file = fileOf.get(page.id);
    const before = pathOf.get(page.id);
    const isFree = (name: string) => join(folder, name) === before || taken.hasRoomFor(join(folder, name));
    // Whatever a server says, nothing is written outside the folder, and no file in it that a program obeys.
    const own = file && isNotePath(file.path) && isFree(file.path) ? file.path : freeName(place + 1, nameOf(page), isFree);
    taken.add(before ?? join(folder, own));
    const { text, lost, images: imagesOfFile } = restoreFile(page.markdown, file?.patch ?? '');
    const path = before ?? join(folder, own);
    // The folder in which the file's path begins. If the file is elsewhere now, the place of its images is unknown.
    const ending = normalize(`/${own}`);
    const top = path.endsWith(ending) ? path.slice(0, -ending.length) : undefined;
    const shown = top === undefined ? [] : [...imagesOfFile].filter(([image]) => isImagePath(image));
    const images = shown.map(([name, url]) => ({ url, name, path: join(top!, name) }));
    return { page, text, lost, images, path, filePath: own, folder: path === join(folder, own) ? folder : undefined };
  });
}

/** The title, or else the first line, as the editor's export names its files. */
const nameOf = ({ title, markdown }: ApiPage): string => pageName({ title, text: markdown });

/** The longest name that file systems accept. */
const maxNameBytes = 255;

/** The paths in a folder. A disk has no file and folder of one name: beside the file `plan.md` there is no `plan.md/notes.md`. */
class TakenPaths {
  readonly #top: string;
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  constructor(top: string, paths: readonly string[]) {
    this.#top = top;
    for (const path of paths) this.add(path);
  }

  add(path: string): void {
    this.#files.add(path);
    for (const folder of this.#foldersOf(path)) this.#folders.add(folder);
  }

  hasRoomFor(path: string): boolean {
    const folders = this.#foldersOf(path);
    if ([path, ...folders].some(each => Buffer.byteLength(basename(each)) > maxNameBytes)) return false;
    return !this.#files.has(path) && !this.#folders.has(path) && !folders.some(folder => this.#files.has(folder));
  }

  #foldersOf(path: string): string[] {
    const folders: string[] = [];
    for (let folder = dirname(path); folder.startsWith(this.#top + sep); folder = dirname(folder)) folders.push(folder);
    return folders;
  }
}

function freeName(position: number, title: string, isFree: (name: string) => boolean): string {
  const wanted = numberedFileName(position, title);
  let name = wanted;
  for (let copy = 2; !isFree(name); copy += 1) name = wanted.replace(/\.md$/, `-${copy}.md`);
  return name;
}
