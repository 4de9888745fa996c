import { randomUUID } from 'node:crypto';
import type { ApiCreated, ApiPage } from '../api/types.ts';
import { makePatch, type WithAddresses } from '../browser/files/original-file.ts';
import { limits } from '../limits.ts';
import { isPagePath, pagePathRule } from '../model/page-path.ts';
import { readArguments } from './arguments.ts';
import { type Command, CommandFailed, type Terminal } from './command.ts';
import { ApiClient, NoAnswer, type PageInput, Refused, RequestTooLarge } from './remote/api-client.ts';
import { type Connected, connect, NotebookNotFound, readServer, readSlugOrLink, sha256 } from './remote/connect.ts';
import { type KeptFile, type KeptNotebook, KeptNotebooks } from './remote/kept-notebooks.ts';
import { linksLeft, namedByPullOnly } from './remote/pulled-links.ts';
import { type PushedFile as File, type PushedImage, readVault, type Vault, withFolders } from './remote/read-vault.ts';
import { uploadImages } from './remote/upload-images.ts';

const keptOf = ({ id, revision }: ApiPage, { original, top, isAlone }: File, before?: KeptFile): KeptFile => ({
  pageId: id,
  revision,
  sha256: sha256(original),
  ...(isAlone ? {} : { folder: top }),
  pulledLinks: linksLeft(before?.pulledLinks, original),
});

/** Makes files the pages of a notebook: of a new one the first time, and of the same one after that. */
export const push: Command = {
  usage: 'push PATH… [--server URL] [--notebook SLUG] [--new] [--force] [--images]',
  about: 'files, folders or zip archives to pages: a new notebook first, then changes',
  async run(args, terminal) {
    const wanted = { words: ['a file'], more: 199, flags: ['new', 'force', 'images'], options: ['server', 'notebook'] } as const;
    const { words, flags, options } = readArguments(args, wanted);
    const named = options.notebook === undefined ? undefined : readSlugOrLink(options.notebook);
    const origin = readServer(options.server ?? named?.server, terminal);
    const vault = await readVault(words);
    const { files } = vault;
    for (const sentence of vault.leftOut) terminal.complain(sentence);
    if (files.length === 0) throw new CommandFailed('There is no Markdown file in it.');
    const kept = new KeptNotebooks(terminal);
    const slug = flags.new ? undefined : (named?.slug ?? (await findSlug(terminal, kept, origin, files)));
    if (slug === undefined) return createNotebook(terminal, kept, origin, vault);
    return update(terminal, kept, await connect(terminal, kept, origin, slug), vault, flags);
  },
};

/** @throws CommandFailed when the files belong to several notebooks that are there */
async function findSlug(
  terminal: Terminal,
  notebooks: KeptNotebooks,
  origin: string,
  files: readonly File[],
): Promise<string | undefined> {
  const holding = (await notebooks.list()).filter(
    kept => kept.server === origin && files.some(({ path }) => Object.hasOwn(kept.files, path)),
  );
  if (holding.length < 2) return holding[0]?.slug;
  const there: string[] = [];
  for (const { slug } of holding) if (await isThere(terminal, notebooks, origin, slug)) there.push(slug);
  if (there.length === 1) return there[0];
  const slugs = (there.length > 0 ? there : holding.map(({ slug }) => slug)).join(', ');
  throw new CommandFailed(`These files belong to several notebooks: ${slugs}. Say which with --notebook, or --new for another.`);
}

/** Whether the notebook still exists. A deleted one must not make every later push ask which notebook is meant. */
async function isThere(terminal: Terminal, notebooks: KeptNotebooks, origin: string, slug: string): Promise<boolean> {
  try {
    await connect(terminal, notebooks, origin, slug);
    return true;
  } catch (error) {
    if (error instanceof NotebookNotFound) return false;
    if (error instanceof Refused) return error.code !== 'taken_down';
    throw error;
  }
}

async function createNotebook(
  terminal: Terminal,
  kept: KeptNotebooks,
  origin: string,
  { files: all, images }: Vault,
): Promise<number> {
  const fitting = pagesOf(terminal, all);
  if (fitting.files.length === 0) throw new CommandFailed('Nothing was pushed.');
  // Checked before anything is created: an edit token that cannot be stored would be lost.
  await kept.requireStorable();
  const server = new ApiClient(origin, undefined);
  const { files, created } = await create(terminal, server, fitting);
  const { notebook, editToken, viewUrl, editUrl } = created;
  const pages = notebook.pages.map((page, place) => [files[place]!.path, keptOf(page, files[place]!)] as const);
  terminal.print(`View link: ${viewUrl}\nEdit link: ${editUrl}  (the only proof that it is yours: keep it to yourself)`);
  const known = { server: origin, slug: notebook.slug, editToken, files: Object.fromEntries(pages) };
  await kept.keep(known);
  server.editToken = editToken;
  const made = new Set(Object.keys(known.files));
  const { refused, known: now } = await sendFiles(terminal, kept, { server, kept: known }, { files, images }, { made });
  const [there, wanted] = [Object.keys(now.files).length, all.length];
  const pagesMade = there === wanted ? '' : ` of ${wanted}`;
  terminal.print(
    `Made a notebook of ${there}${pagesMade} ${wanted === 1 ? 'page' : 'pages'}; ${kept.path} remembers the edit link.`,
  );
  return refused === 0 && there === wanted ? 0 : 1;
}

interface Pages {
  readonly files: readonly File[];
  readonly inputs: readonly PageInput[];
}

/** The longest body that proxies accept by themselves (nginx: 1 MiB). */
const bytesOfProxies = 1_000_000;

/**
 * Creates the notebook with as many of the pages as one request may hold, also by a proxy that takes less than the service does.
 * @returns the files without those whose page alone is too much; they are reported
 */
async function create(
  terminal: Terminal,
  server: ApiClient,
  { files, inputs }: Pages,
): Promise<{ readonly files: readonly File[]; readonly created: ApiCreated }> {
  for (let room: number = limits.maxBodyBytes; ; ) {
    const count = countFitting(inputs, room);
    const pages = inputs.slice(0, count);
    try {
      return { files, created: await server.create(pages) };
    } catch (error) {
      if (!(error instanceof RequestTooLarge)) throw error;
      const bytes = Buffer.byteLength(JSON.stringify({ pages }));
      if (count > 1) room = bytes > bytesOfProxies ? bytesOfProxies : bytes / 2;
      else if (files.length === 1) throw error;
      else {
        reportFailure(terminal, files[0]!, error);
        return create(terminal, server, { files: files.slice(1), inputs: inputs.slice(1) });
      }
    }
  }
}

/** How many of the first pages one request may hold; the others are added one by one. */
function countFitting(inputs: readonly PageInput[], bytes: number): number {
  let room = bytes - Buffer.byteLength(JSON.stringify({ pages: [] }));
  const first = inputs.findIndex(input => {
    room -= Buffer.byteLength(JSON.stringify(input)) + 1;
    return room < 0;
  });
  // A page that fits into no request is refused by the server, in its own words.
  return first < 0 ? inputs.length : Math.max(1, first);
}

/** The files that can become pages; for the others, prints why not. */
function pagesOf(terminal: Terminal, all: readonly File[]): { files: File[]; inputs: PageInput[] } {
  const [files, inputs]: [File[], PageInput[]] = [[], []];
  for (const file of all) {
    try {
      inputs.push(pageOf(file, { text: file.markdown, images: new Map() }));
      files.push(file);
    } catch (error) {
      reportFailure(terminal, file, error);
    }
  }
  return { files, inputs };
}

/** @throws any error that is not a refusal */
function reportFailure(terminal: Terminal, { name }: File, error: unknown): void {
  if (!(error instanceof CommandFailed)) throw error;
  terminal.complain(`${name}: ${error.message}`);
}

/** @throws CommandFailed when the file could not be restored from its page: a pull would replace it with less than it holds */
function pageOf({ title, original, filePath }: File, shown: WithAddresses): PageInput {
  const page = { markdown: shown.text, ...(title === undefined ? {} : { title }) };
  if (filePath === undefined) return page;
  if (!isPagePath(filePath)) throw new CommandFailed(`its path ${pagePathRule}`);
  const patch = makePatch(shown, original, limits.maxPagePatchChars);
  if (patch === undefined)
    throw new CommandFailed(
      `its comments, links and other parts that readers see differently come to more than ${limits.maxPagePatchChars} characters, so a pull could not give the file back. Split it into several files`,
    );
  return { ...page, file: { path: filePath, patch } };
}

async function update(
  terminal: Terminal,
  notebooks: KeptNotebooks,
  connected: Connected,
  vault: Vault,
  how: HowToSend,
): Promise<number> {
  const whole = await withFolders(vault, path => connected.kept.files[path]?.folder);
  const { refused } = await sendFiles(terminal, notebooks, connected, whole, how);
  terminal.print(`View link: ${connected.server.origin}/n/${connected.kept.slug}`);
  return refused === 0 ? 0 : 1;
}

interface HowToSend {
  readonly force?: boolean;
  /** Also uploads those that only a pulled text names. */
  readonly images?: boolean;
  /** Paths of files whose pages were made a moment ago, before the addresses of their images were known. */
  readonly made?: ReadonlySet<string>;
}

/** Uploads the images, then adds and changes pages. What a server that does not answer has not got is named. */
async function sendFiles(
  terminal: Terminal,
  notebooks: KeptNotebooks,
  { server, kept }: Pick<Connected, 'server' | 'kept'>,
  { files, images }: Pick<Vault, 'files' | 'images'>,
  { force = false, images: withAll = false, made = new Set() }: HowToSend,
): Promise<{ readonly refused: number; readonly known: KeptNotebook }> {
  const others = withAll ? new Set<PushedImage>() : namedByPullOnly(files, images, ({ path }) => kept.files[path]?.pulledLinks);
  const { put, missing, images: keptImages, unanswered } = await uploadImages(terminal, server, kept, images, others);
  const { server: origin, slug, editToken } = kept;
  let known = kept;
  let refused = missing;
  const keep = async (news: Partial<KeptNotebook>): Promise<void> => {
    const all = await notebooks.keep({ server: origin, slug, editToken, files: {}, ...news });
    // If another push has changed a page since, keep the older revision known here, so that the server refuses to replace that page.
    known = { ...all, files: { ...all.files, ...known.files, ...news.files } };
  };
  // Recorded even if no page is accepted: the next push would upload them again.
  if (images.length > missing) await keep({ images: keptImages });
  const waiting = files.filter(file => !made.has(file.path) || put(file).images.size > 0);
  if (unanswered) {
    sayUnsent(
      terminal,
      waiting.filter(({ path }) => !made.has(path)),
    );
    return { refused, known };
  }
  for (const [at, file] of waiting.entries()) {
    try {
      if (!known.files[file.path]) {
        // Recorded before it is sent: if the answer is lost, the next push sends the same key, and the page is added once.
        await keep({ adding: { [file.path]: randomUUID() } });
        requireOwn(known.files[file.path], file);
      }
      const { did, page } = await pushFile(server, known, file, put(file), force);
      await keep({ files: { [file.path]: keptOf(page, file, withAll ? undefined : known.files[file.path]) } });
      if (!made.has(file.path)) terminal.print(`${file.name}: ${did}`);
    } catch (error) {
      refused += 1;
      reportFailure(terminal, file, error);
      // Every other file would wait for a minute, too.
      if (error instanceof NoAnswer) {
        sayUnsent(terminal, waiting.slice(at + 1));
        break;
      }
    }
  }
  return { refused, known };
}

function sayUnsent(terminal: Terminal, files: readonly File[]): void {
  const unsent = files.length === 0 ? '' : ` These files were not sent: ${files.map(({ name }) => name).join(', ')}.`;
  terminal.complain(`Stopped.${unsent} What was sent stays. Push again, without --new, to go on.`);
}

/** @throws CommandFailed when another push has just added the file with another text */
function requireOwn(added: KeptFile | undefined, { original }: File): void {
  if (added && added.sha256 !== sha256(original))
    throw new CommandFailed('another octavo has just added it as it was before. Push it again');
}

async function pushFile(
  server: ApiClient,
  { slug, files, adding = {} }: KeptNotebook,
  file: File,
  shown: WithAddresses,
  force: boolean,
): Promise<{ did: string; page: ApiPage }> {
  const input = pageOf(file, shown);
  const known = files[file.path];
  if (known) return changeFile(server, slug, known, input, force);
  const page = await server.addPage(slug, input, adding[file.path]!);
  if (page.markdown === input.markdown) return { did: 'added', page };
  // An earlier push added it, and since then the file or the page was changed: do not replace it unasked.
  return changeFile(server, slug, { pageId: page.id, revision: 1 }, input, force);
}

async function changeFile(
  server: ApiClient,
  slug: string,
  known: Pick<KeptFile, 'pageId' | 'revision'>,
  input: PageInput,
  force: boolean,
): Promise<{ did: string; page: ApiPage }> {
  try {
    const page = await server.changePage(slug, known.pageId, input, force ? undefined : known.revision);
    return { did: page.revision === known.revision ? 'unchanged' : 'changed', page };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 404)
      throw new CommandFailed('its page is not on the server any more; pushed with --new it starts a new notebook');
    if (error.status !== 412 || !error.page) throw error;
    if (error.page.markdown === input.markdown) return { did: 'unchanged', page: error.page };
    throw new CommandFailed(
      `the page was changed on the server since. "octavo pull ${slug}" fetches it; --force replaces it (its text stays a snapshot)`,
    );
  }
}
