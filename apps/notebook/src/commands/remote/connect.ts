import { createHash } from 'node:crypto';
import type { ApiNotebook } from '../../api/types.ts';
import { isSlug } from '../../model/slug.ts';
import { CommandFailed, type Terminal, UsageError } from '../command.ts';
import { ApiClient, Refused } from './api-client.ts';
import type { KeptNotebook, KeptNotebooks } from './kept-notebooks.ts';

const hereByDefault = 'http://localhost:3000';

/** The base of the server's addresses: from `--server`, else OCTAVO_SERVER, else the server that `npm start` runs. */
export function readServer(given: string | undefined, { env }: Terminal): string {
  const text = given ?? (env.OCTAVO_SERVER || hereByDefault);
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`"${text}" is not an http:// or https:// address`);
  if (url.username || url.password || url.search || url.hash) {
    throw new UsageError('the server is an address without a user, password, query or fragment');
  }
  // super-linear: an address that the person at the terminal wrote.
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

/** Reads a slug, or a view link, which also names its server. */
export function readSlugOrLink(text: string): { slug: string; server?: string } {
  const link = /^(https?:\/\/[^/?#]+)\/n\/([^/?#]+)/.exec(text);
  const slug = link?.[2] ?? text;
  if (isSlug(slug)) return link ? { slug, server: link[1]! } : { slug };
  // The error does not repeat the link, because logs keep error messages.
  if (isEditLink(text))
    throw new UsageError('that is an edit link. Name the slug or the view link, and set OCTAVO_EDIT_TOKEN to what follows /e/');
  throw new UsageError(`"${text}" is neither a slug nor a view link`);
}

/** Also true of an edit token alone. */
export function isEditLink(text: string): boolean {
  return /(?:^|\/e\/)[\w-]{43}(?:[/?#]|$)/.test(text);
}

export interface Connected {
  readonly server: ApiClient;
  readonly kept: KeptNotebook;
  readonly notebook: ApiNotebook;
}

/**
 * Opens a notebook with what is stored for it, OCTAVO_EDIT_TOKEN and OCTAVO_PASSWORD: never with command-line arguments, which others can
 * see.
 */
export async function connect(terminal: Terminal, notebooks: KeptNotebooks, origin: string, slug: string): Promise<Connected> {
  const known = (await notebooks.list()).find(kept => kept.server === origin && kept.slug === slug);
  const editToken = terminal.env.OCTAVO_EDIT_TOKEN || known?.editToken;
  const server = new ApiClient(origin, editToken);
  const notebook = await readUnlocked(server, slug, terminal.env.OCTAVO_PASSWORD).catch(error => {
    throw error instanceof Refused && error.status === 404 ? notebookNotFound(server, slug) : error;
  });
  const { files = {}, images, adding } = known ?? {};
  return { server, notebook, kept: { server: origin, slug, editToken, files, images, adding } };
}

/** The server gives the same answer for unknown, deleted, expired, burned and private notebooks. */
export class NotebookNotFound extends CommandFailed {}

function notebookNotFound({ origin, editToken }: ApiClient, slug: string): NotebookNotFound {
  const [opens, help] = editToken
    ? ['that its edit token opens', ' To start anew from files: octavo push --new']
    : ['that opens without its edit token (OCTAVO_EDIT_TOKEN)', ''];
  return new NotebookNotFound(`There is nothing here: ${origin} has no notebook "${slug}" ${opens}.${help}`);
}

async function readUnlocked(server: ApiClient, slug: string, password: string | undefined): Promise<ApiNotebook> {
  try {
    return await server.getNotebook(slug);
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'password_required') throw error;
    if (!password) throw new CommandFailed('The notebook wants its password: set OCTAVO_PASSWORD.');
    await server.unlock(slug, password);
    return server.getNotebook(slug);
  }
}

export function sha256(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}
