import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../errors.ts';
import { limits } from '../limits.ts';
import { isListedNow } from '../model/listed.ts';
import { shownTitle } from '../model/notebook.ts';
import { textStart } from '../model/text-start.ts';
import { withoutDirectionControls } from '../model/title.ts';
import { walkListed } from '../operations/list-notebooks.ts';
import { inTurns } from '../operations/page-turns.ts';
import { plainText } from '../operations/plain-text.ts';
import { walkPages } from '../operations/read-notebook.ts';
import { createAccessCheck } from '../operations/view-notebook.ts';
import { urls } from '../urls.ts';
import { type AtomEntry, atomFeed } from '../views/atom.ts';
import { clientOf, etagMatches, type RouteContext, type SlugPath, versionEtag } from './context.ts';
import type { VisibleNotebook } from './draw-view.ts';
import { makeForAnswer } from './large-reads.ts';
import { pathOfPage } from './search.ts';
import { sendTextStream } from './text-stream.ts';
import { cacheControlOf, Interstitial, makeSeen, requireVisible } from './view.ts';

const type = 'application/atom+xml';
/** How much of a page is read to find a summary. */
const readChars = 2_000;
const summaryChars = 300;

/** Atom feeds (RFC 4287): the pages of a public notebook as they change, and the public notebooks. */
export function feedRoutes(app: FastifyInstance, context: RouteContext): void {
  const { parts, site } = context;
  const author = new URL(site.publicUrl).host;

  async function changedPages({ notebook }: VisibleNotebook): Promise<AtomEntry[]> {
    const heads = await parts.store.listPageHeads(notebook.id);
    const entries: AtomEntry[] = [];
    const newest = heads.toSorted((one, other) => other.updatedAt - one.updatedAt).slice(0, limits.maxFeedEntries);
    for await (const page of walkPages({ store: inTurns(parts.store) }, newest, createAccessCheck(parts, notebook.slug, {}))) {
      const summary = parts.texts.isUnsafe(page) ? '' : parts.texts.on(page, () => summaryOf(page.markdown));
      const path = pathOfPage({ slug: notebook.slug, pageId: page.id, position: page.position });
      entries.push({
        // Not the address, which is the notebook's own for whichever page comes first.
        id: site.publicUrl + urls.viewPage(notebook.slug, page.id),
        url: site.publicUrl + path,
        title: shownTitle(notebook, heads.length, page, page.markdown).title,
        updatedAt: page.updatedAt,
        summary,
      });
    }
    return entries;
  }

  async function* newestNotebooks(): AsyncGenerator<AtomEntry> {
    let count = 0;
    for await (const { notebook, pages } of walkListed(parts, 'newest')) {
      if (++count > limits.maxFeedEntries) return;
      const summary = pages.length === 1 ? '1 page' : `${pages.length} pages`;
      const url = site.publicUrl + urls.view(notebook.slug);
      yield { id: url, url, title: notebook.title, updatedAt: notebook.updatedAt, summary };
    }
  }

  const hidden = { schema: { hide: true } };
  app.get<SlugPath>(urls.feed(':slug'), hidden, async (request, reply) => {
    const { slug } = request.params;
    const seen = await requireVisible(context, request, slug);
    if (seen instanceof Interstitial) return seen.send(reply);
    const requireListed = ({ notebook }: VisibleNotebook) => {
      if (!isListedNow(notebook, parts.now())) throw new Refusal('not_found');
      reply.headers({ etag: versionEtag('feed', notebook, context.build), 'cache-control': cacheControlOf(seen) });
    };
    requireListed(seen);
    if (etagMatches(request.headers['if-none-match'], String(reply.getHeader('etag')))) return reply.code(304).send();
    // A HEAD has no text.
    const make = request.method === 'HEAD' ? async () => [] : changedPages;
    const made = await makeForAnswer(clientOf(request), () => makeSeen(context, request, seen, make));
    if (made instanceof Interstitial) return made.send(reply);
    requireListed(made.seen);
    const { notebook } = made.seen;
    const head = {
      self: site.publicUrl + urls.feed(slug),
      alternate: site.publicUrl + urls.view(slug),
      title: notebook.title,
      updatedAt: notebook.updatedAt,
      author,
    };
    return sendTextStream(reply, clientOf(request), type, atomFeed(head, Readable.from(made.page)), cacheControlOf(made.seen));
  });

  app.get(urls.publicFeed(), hidden, async (request, reply) => {
    const [newest] = await parts.store.listPublic({ order: 'newest', after: undefined, limit: 1, now: parts.now() });
    const head = {
      self: site.publicUrl + urls.publicFeed(),
      alternate: site.publicUrl + urls.search(),
      title: 'Public notebooks',
      updatedAt: newest?.notebook.updatedAt ?? 0,
      author,
    };
    return sendTextStream(reply, clientOf(request), type, atomFeed(head, newestNotebooks()));
  });
}

function summaryOf(markdown: string): string {
  const text = withoutDirectionControls(plainText(textStart(markdown, readChars)));
  return text.length > summaryChars ? `${textStart(text, summaryChars)}…` : text;
}
