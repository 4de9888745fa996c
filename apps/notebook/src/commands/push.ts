import { resolve } from 'node:path';
import { readArguments } from './arguments.ts';
import { CannotDo, type Command, type Terminal } from './command.ts';
import { type Connected, connect, readServer, readSlugOrLink, sha256 } from './remote/connect.ts';
import { type KeptFile, type KeptNotebook, KeptNotebooks } from './remote/kept-notebooks.ts';
import { readMarkdown } from './remote/markdown-files.ts';
import { NotebookServer, Refused, type RemotePage } from './remote/notebook-server.ts';

interface File {
  /** As the person named it. */
  readonly name: string;
  readonly path: string;
  readonly markdown: string;
}

const keptOf = ({ id, revision }: RemotePage, markdown: string): KeptFile => ({ pageId: id, revision, sha256: sha256(markdown) });

/** Files become the pages of a notebook: a new one the first time, the same one from then on. */
export const push: Command = {
  usage: 'push FILE.md… [--server URL] [--notebook SLUG] [--new] [--force]',
  about: 'files to pages: a new notebook first, then changes',
  async run(args, terminal) {
    const wanted = { words: ['a file'], more: 199, flags: ['new', 'force'], options: ['server', 'notebook'] } as const;
    const { words, flags, options } = readArguments(args, wanted);
    const named = options.notebook === undefined ? undefined : readSlugOrLink(options.notebook);
    const origin = readServer(options.server ?? named?.server, terminal);
    const files = await Promise.all(words.map(async name => ({ name, path: resolve(name), markdown: await readMarkdown(name) })));
    const kept = new KeptNotebooks(terminal);
    const slug = flags.new ? undefined : (named?.slug ?? (await findSlug(kept, origin, files)));
    if (slug === undefined) return createNotebook(terminal, kept, origin, files);
    return update(terminal, kept, await connect(terminal, kept, origin, slug), files, flags.force);
  },
};

/** @throws CannotDo when the files belong to several notebooks */
async function findSlug(notebooks: KeptNotebooks, origin: string, files: readonly File[]): Promise<string | undefined> {
  const holding = (await notebooks.list()).filter(
    kept => kept.server === origin && files.some(({ path }) => Object.hasOwn(kept.files, path)),
  );
  if (holding.length < 2) return holding[0]?.slug;
  const slugs = holding.map(({ slug }) => slug).join(', ');
  throw new CannotDo(`These files belong to several notebooks: ${slugs}. Say which with --notebook, or --new for another.`);
}

async function createNotebook(terminal: Terminal, kept: KeptNotebooks, origin: string, files: readonly File[]): Promise<number> {
  // Before anything is made: an edit token that cannot be kept would be lost.
  await kept.list();
  const server = new NotebookServer(origin, undefined);
  const { notebook, editToken, viewUrl, editUrl } = await server.create(files.map(({ markdown }) => ({ markdown })));
  const pages = files.map(({ path, markdown }, place) => [path, keptOf(notebook.pages[place]!, markdown)] as const);
  terminal.print(`View link: ${viewUrl}\nEdit link: ${editUrl}  (the only proof that it is yours: keep it to yourself)`);
  await kept.keep({ server: origin, slug: notebook.slug, editToken, files: Object.fromEntries(pages) });
  terminal.print(
    `Made a notebook of ${files.length} ${files.length === 1 ? 'page' : 'pages'}; ${kept.path} remembers the edit link.`,
  );
  return 0;
}

async function update(
  terminal: Terminal,
  notebooks: KeptNotebooks,
  { server, kept, notebook }: Connected,
  files: readonly File[],
  force: boolean,
): Promise<number> {
  let known: KeptNotebook = kept;
  let refused = 0;
  for (const file of files) {
    try {
      const { did, page } = await pushFile(server, known, file, force);
      known = { ...known, files: { ...known.files, [file.path]: keptOf(page, file.markdown) } };
      await notebooks.keep(known);
      terminal.print(`${file.name}: ${did}`);
    } catch (error) {
      if (!(error instanceof CannotDo)) throw error;
      refused += 1;
      terminal.complain(`${file.name}: ${error.message}`);
    }
  }
  terminal.print(`View link: ${server.origin}/n/${notebook.slug}`);
  return refused === 0 ? 0 : 1;
}

async function pushFile(
  server: NotebookServer,
  { slug, files }: KeptNotebook,
  { path, markdown }: File,
  force: boolean,
): Promise<{ did: string; page: RemotePage }> {
  const known = files[path];
  if (!known) return { did: 'added', page: await server.addPage(slug, markdown) };
  try {
    const page = await server.changePage(slug, known.pageId, markdown, force ? undefined : known.revision);
    return { did: page.revision === known.revision ? 'unchanged' : 'changed', page };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 404)
      throw new CannotDo('its page is not on the server any more; pushed with --new it starts a new notebook');
    if (error.status !== 412 || !error.page) throw error;
    if (error.page.markdown === markdown) return { did: 'unchanged', page: error.page };
    throw new CannotDo(
      `the page was changed on the server since. "octavo pull ${slug}" fetches it; --force replaces it (its text stays a snapshot)`,
    );
  }
}
