import type { FastifyInstance, FastifyReply } from 'fastify';
import { Refusal } from '../errors.ts';
import { lifecycle } from '../model/access.ts';
import { type Notebook, type Page, type PageHead, pageTitle } from '../model/notebook.ts';
import { hasNoTitle, pageName } from '../model/page-name.ts';
import { isSlug } from '../model/slug.ts';
import { textStart } from '../model/text-start.ts';
import { findOwnNotebook, type NotebookRead, readWhole, walkPages } from '../operations/read-notebook.ts';
import { urls } from '../urls.ts';
import { renderEditor } from '../views/editor.tsx';
import type { OpeningText } from '../views/props.ts';
import { notebookAnswer } from './answers.ts';
import { type RouteContext, type SlugPath, sendHtml } from './context.ts';
import { sendPrint } from './view.ts';

interface TokenPath {
  Params: { editToken: string };
}

const deadLink =
  'This edit link doesn’t work. It may have lost a few characters or been replaced by a newer one, or its notebook was deleted or has expired. The start page lists the notebooks that this browser knows.';

/** @throws Refusal 404 for a token that owns nothing: unknown, rotated, deleted and past its grace get the same answer */
async function requireOwnNotebook(context: RouteContext, editToken: string): Promise<NotebookRead> {
  const read = await findOwnNotebook(context.parts, editToken);
  if (read === 'taken-down') throw new Refusal('taken_down');
  if (!read) throw new Refusal('not_found', { detail: deadLink });
  return read;
}

function withNoStore(reply: FastifyReply): FastifyReply {
  return reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' });
}

/** Two screens of small letters, in about 4 kB of brotli; the field has the rest. */
const openingChars = 8_000;
const openingPages = 40;
/** In bytes of Markdown. On a slow phone's line they take less time than the request that they save. */
const mostWhole = 16_384;
/** In bytes of Markdown. In a larger notebook an untitled page is called that until the script is there: reading its text would take too long. */
const mostForNames = 262_144;

/** The text that the editor's page shows until its script has the notebook. Undefined when the first page was deleted at this moment. */
async function readOpening(context: RouteContext, editToken: string, read: NotebookRead): Promise<OpeningText | undefined> {
  const { parts } = context;
  const { notebook, heads } = read;
  const requireStillOpen = () => requireOwnNotebook(context, editToken);
  const listed = heads.slice(0, openingPages);
  if (notebook.markdownBytes <= mostWhole && heads.length === listed.length) {
    const whole = await readWhole(parts, read, requireStillOpen);
    if (!whole) return undefined;
    const answer = notebookAnswer(whole.notebook, whole.pages, whole.access.kind, parts.now());
    return { ...startOf(whole.notebook, whole.pages, whole.pages), notebook: JSON.stringify(answer) };
  }
  // The list names an untitled page by its text.
  const isNamedByText = (head: PageHead) => notebook.markdownBytes <= mostForNames && hasNoTitle({ title: pageTitle(head) });
  const texts: Page[] = [];
  for await (const page of walkPages(
    parts,
    listed.filter((head, place) => place === 0 || isNamedByText(head)),
    requireStillOpen,
  ))
    texts.push(page);
  return texts[0]?.id === listed[0]?.id ? startOf(notebook, listed, texts) : undefined;
}

/** @param texts the first page's and those of the pages that are named by them */
function startOf(notebook: Notebook, listed: readonly PageHead[], texts: readonly Page[]): OpeningText {
  const textOf = new Map(texts.map(({ id, markdown }) => [id, markdown]));
  return {
    title: notebook.title,
    pages: listed.map(head => pageName({ title: pageTitle(head), text: textOf.get(head.id) ?? '' })),
    text: textStart(texts[0]!.markdown, openingChars),
  };
}

export function editRoutes(app: FastifyInstance, context: RouteContext): void {
  const hidden = { schema: { hide: true } };
  app.get<TokenPath>(urls.editByToken(':editToken'), hidden, async (request, reply) => {
    const { editToken } = request.params;
    const read = await requireOwnNotebook(context, editToken);
    const { notebook } = read;
    // Only a browser that opens the page gets the text. Chats fetch a link that is pasted into them, and show its first words to everybody.
    const isOpened = request.headers['sec-fetch-dest'] === 'document';
    const page = renderEditor(context.site, {
      slug: notebook.slug,
      mode: 'token',
      lifecycle: lifecycle(notebook, context.parts.now()),
      opening: isOpened ? await readOpening(context, editToken, read) : undefined,
    });
    return sendHtml(withNoStore(reply), 200, page, 'no-store');
  });
  app.get<TokenPath>(urls.printByToken(':editToken'), hidden, async (request, reply) => {
    const { notebook, access } = await requireOwnNotebook(context, request.params.editToken);
    const accessCheck = () => requireOwnNotebook(context, request.params.editToken);
    return sendPrint(context, request, withNoStore(reply), { notebook, access }, accessCheck);
  });
  // The same shell for every slug: only someone with the edit token learns whether a notebook exists.
  app.get<SlugPath>(urls.edit(':slug'), hidden, async (request, reply) => {
    const { slug } = request.params;
    if (!isSlug(slug)) throw new Refusal('not_found');
    return sendHtml(withNoStore(reply), 200, renderEditor(context.site, { slug, mode: 'stored' }), 'no-store');
  });
}
