import { join, normalize, relative, resolve, sep } from 'node:path';
import type { ApiPage, ApiPageFile } from '../api/types.ts';
import { restoreFile } from '../browser/files/original-file.ts';
import { isPagePath } from '../model/page-path.ts';
import { readArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { connect, readServer, readSlugOrLink, sha256 } from './remote/connect.ts';
import { fetchImages, type ImagePlace } from './remote/fetch-images.ts';
import { type KeptNotebook, KeptNotebooks } from './remote/kept-notebooks.ts';
import { fileNameOf, findMarkdown, writeAside } from './remote/markdown-files.ts';

interface Place {
  readonly path: string;
  readonly page: ApiPage;
  /** The text of the file. */
  readonly text: string;
  /** Parts of the file that could not be put back. */
  readonly lost: number;
  /** What the file shows that was imported with it. */
  readonly images: readonly ImagePlace[];
}

/** The pages of a notebook become files. A file that was changed here since is left as it is. */
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
    let known: KeptNotebook = kept;
    let left = 0;
    const imported = await server.listFiles(slug);
    const images = new Map<string, ImagePlace>();
    for (const place of placesOf(kept, notebook.pages, imported, slug, words[1])) {
      const { path, page, text, lost } = place;
      const name = relative('', path);
      const here = await findMarkdown(path);
      if (here !== undefined && here !== text && sha256(here) !== known.files[path]?.sha256 && !flags.force) {
        left += 1;
        terminal.complain(`${name}: was changed here since and is left as it is (--force replaces it)`);
        continue;
      }
      if (lost > 0 && here !== text) {
        const parts = `${lost} ${lost === 1 ? 'part' : 'parts'} of the file, such as comments, could not be put back, because the page was changed there`;
        if (here !== undefined && !flags.force) {
          left += 1;
          terminal.complain(`${name}: ${parts}; it is left as it is (--force replaces it)`);
          continue;
        }
        terminal.complain(`${name}: ${parts}`);
      }
      if (here !== text) await writeAside(path, text);
      known = {
        ...known,
        files: { ...known.files, [path]: { pageId: page.id, revision: page.revision, sha256: sha256(text) } },
      };
      for (const image of place.images) images.set(image.path, image);
      terminal.print(`${name}: ${here === text ? 'unchanged' : here === undefined ? 'written' : 'replaced'}`);
    }
    const fetched = await fetchImages(terminal, server, slug, [...images.values()]);
    left += fetched.missing;
    await notebooks.keep({ ...known, images: { ...known.images, ...fetched.images } });
    return left === 0 ? 0 : 1;
  },
};

/** A page goes to the file it came from, in the folder that was named if one was; others get a name there. */
function placesOf(
  { files }: KeptNotebook,
  pages: readonly ApiPage[],
  imported: readonly ApiPageFile[],
  slug: string,
  named: string | undefined,
): Place[] {
  const folder = resolve(named ?? slug);
  const known = Object.entries(files).filter(([path]) => named === undefined || path.startsWith(folder + sep));
  const pathOf = new Map(known.map(([path, { pageId }]) => [pageId, path]));
  const fileOf = new Map(imported.map(file => [file.pageId, file]));
  const taken = new Set<string>();
  return pages.map((page, place) => {
    const file = fileOf.get(page.id);
    // Whatever a server says, nothing is written outside of the folder.
    const own = file && isPagePath(file.path) && !taken.has(file.path) ? file.path : fileNameOf(place + 1, page.title);
    taken.add(own);
    const { text, lost, images: imagesOfFile } = restoreFile(page.markdown, file?.patch ?? '');
    const path = pathOf.get(page.id) ?? join(folder, own);
    // The folder that the file's path begins in; a file that lies elsewhere now has its images nowhere.
    const ending = normalize(`/${own}`);
    const top = path.endsWith(ending) ? path.slice(0, -ending.length) : undefined;
    const images = top === undefined ? [] : [...imagesOfFile].map(([url, image]) => ({ url, path: join(top, image) }));
    return { page, text, lost, images, path };
  });
}
