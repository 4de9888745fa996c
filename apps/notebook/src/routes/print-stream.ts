import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nextTurn } from '../event-loop-turns.ts';
import { limits } from '../limits.ts';
import type { Notebook, PageHead } from '../model/notebook.ts';
import type { PageSource } from '../operations/copy-notebook.ts';
import { readTitle } from '../operations/page-titles.ts';
import { isLasting, renderPageByHead } from '../operations/render-page.ts';
import type { PageLinkResolver } from '../operations/resolve-page-links.ts';
import { outlineOf, renderPrintFrame, renderPrintPage } from '../views/print.tsx';
import type { PrintFrameProps, PrintOutline, RenderedPage } from '../views/props.ts';
import { clientOf, etagMatches, type RouteContext, versionEtag } from './context.ts';
import { enterLargePrint, sendLargeText } from './large-reads.ts';

type PrintPage = Pick<RenderedPage, 'id' | 'title' | 'titleInText' | 'html' | 'headings' | 'diagrams' | 'plain'>;

/** Complete prints that this process has sent with every page in its final form: only their ETags are answered with 304. */
const sentWhole = new Set<string>();
const maxRemembered = 10_000;
/** Pages that are rendered at once: one after the other would leave most of the machine's threads idle. */
const renderedTogether = 4;

function remember(etag: string): void {
  sentWhole.delete(etag);
  sentWhole.add(etag);
  for (const oldest of sentWhole) {
    if (sentWhole.size <= maxRemembered) break;
    sentWhole.delete(oldest);
  }
}

/** @param only the page that is printed alone */
export function largePrintEtag(context: RouteContext, notebook: Notebook, only: string | undefined, forOwner: boolean): string {
  const key = [versionEtag('print', notebook, context.build), only ?? '', forOwner];
  return `W/"${createHash('sha256').update(JSON.stringify(key)).digest('base64url').slice(0, 16)}"`;
}

/** Whether the reader has this print. */
export function hasPrint(request: FastifyRequest, etag: string): boolean {
  return sentWhole.has(etag) && etagMatches(request.headers['if-none-match'], etag);
}

/**
 * Sends the print of a large notebook page by page. It walks the pages twice: once for the table of contents, which comes first and needs
 * every page's headings, and once for the pages. One page at a time is in memory; renderings of the first walk are kept in the database for
 * the second.
 * @param seen of one moment: `pages` has the texts
 * @param requireStillOpen throws when this reader may no longer see the notebook; called when a page was read, before it is sent
 */
export async function sendLargePrint(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  seen: {
    readonly notebook: Notebook;
    readonly about: Omit<PrintFrameProps, 'pages'>;
    readonly heads: readonly PageHead[];
    readonly linkResolver: PageLinkResolver;
    readonly pages: PageSource;
    readonly etag: string;
  },
  requireStillOpen: () => Promise<unknown>,
): Promise<FastifyReply> {
  const { parts, site } = context;
  const { notebook, about, heads, linkResolver, pages, etag } = seen;
  if (sentWhole.has(etag)) reply.header('etag', etag);
  const client = clientOf(request);
  const deadline = performance.now() + limits.maxPrintWaitSeconds * 1_000;
  let whole = true;

  async function find(page: PageHead): Promise<PrintPage | undefined> {
    const waitMillis = Math.max(0, deadline - performance.now());
    const showing = await renderPageByHead(parts, notebook.id, page, 'print', client, waitMillis, pages);
    await requireStillOpen();
    if (!showing) return undefined;
    const rendered = await linkResolver.resolve(page, showing.rendered);
    if (!isLasting(rendered)) whole = false;
    const title = await readTitle(pages, notebook, about.notebook.pageCount, page);
    return { id: page.id, ...title, ...rendered };
  }

  const outlines: PrintOutline[] = [];
  const leave = await enterLargePrint(client);
  try {
    for (let at = 0; at < heads.length; at += renderedTogether) {
      const some = heads.slice(at, at + renderedTogether);
      const found = await Promise.all(some.map(find));
      for (const [place, page] of found.entries()) {
        await nextTurn();
        if (page) outlines.push(parts.texts.on(some[place]!, () => outlineOf(page)));
      }
    }
  } finally {
    leave();
  }
  const { before, after, frames } = renderPrintFrame(site, { ...about, pages: outlines });

  async function* write(): AsyncGenerator<string> {
    whole = true;
    yield* before;
    for (const page of heads) {
      const found = await find(page);
      await nextTurn();
      if (found) yield parts.texts.on(page, () => renderPrintPage(found));
    }
    yield after;
    if (whole) remember(etag);
  }
  return sendLargeText(reply.headers(reply.server.htmlHeaders({ frames })), client, write());
}
