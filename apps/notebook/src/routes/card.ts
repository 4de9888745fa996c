import type { FastifyInstance, FastifyReply } from 'fastify';
import { Refusal } from '../errors.ts';
import { FinishedPage } from '../http/compressed.ts';
import { decideAccess } from '../model/access.ts';
import { isListed, isShared } from '../model/listed.ts';
import type { Notebook } from '../model/notebook.ts';
import { isLasting } from '../operations/render-page.ts';
import { showPage } from '../operations/view-notebook.ts';
import { urls } from '../urls.ts';
import { clientOf, etagMatches, getFinished, type RouteContext, type SlugPath, versionEtag } from './context.ts';
import { cacheControlOf, findClosed, Interstitial, requireVisible } from './view.ts';

/** `/n/{slug}/card.png`: the picture that a chat shows with the view link. */
export function cardRoutes(app: FastifyInstance, context: RouteContext): void {
  const { parts, cards, plainCard, build } = context;

  const draw = async (notebook: Notebook, client: string) => {
    const shown = await showPage(parts, notebook, undefined, client, () => '');
    if (!shown) return undefined;
    const { heads, head, rendered } = shown;
    const { facts } = rendered;
    // A chat should not keep a picture of a text that is shown plain only temporarily.
    if (!isLasting(rendered)) return undefined;
    const description = parts.texts.isUnsafe(head) ? '' : facts.description;
    const { title, paper } = notebook;
    const png = await parts.cardPainter.draw({ title, description, pages: heads.length, paper }, client);
    // Not awaited; drawn again when this fails.
    if (png) parts.store.keepCard(notebook.id, notebook.version, build, png, parts.now()).catch(() => {});
    return png && FinishedPage.of(Buffer.from(png));
  };

  const findOrDraw = async (notebook: Notebook, client: string) => {
    const kept = await parts.store.findCard(notebook.id, notebook.version, build);
    return kept ? FinishedPage.of(kept) : draw(notebook, client);
  };

  app.get<SlugPath>(urls.notebookCard(':slug'), { schema: { hide: true } }, async (request, reply) => {
    const seen = await requireVisible(context, request, request.params.slug);
    if (seen instanceof Interstitial) return sendPng(seen.head(reply), plainCard, 'no-store');
    const { notebook } = seen;
    // A reader with a proof can see the notebook itself. There is a picture to pass on only when the link alone is enough.
    if (!isShared(notebook) || decideAccess(notebook, {}, parts.now()).kind !== 'reader') throw new Refusal('not_found');
    if (!isListed(notebook)) reply.header('x-robots-tag', 'noindex');
    const etag = versionEtag('card', notebook, build);
    const cacheControl = cacheControlOf(seen);
    if (etagMatches(request.headers['if-none-match'], etag)) {
      return reply.code(304).headers({ etag, 'cache-control': cacheControl }).send();
    }
    const card = await getFinished(cards, request, `${notebook.id} ${notebook.version}`, () =>
      findOrDraw(notebook, clientOf(request)),
    );
    const closed = await findClosed(context, request, seen);
    if (closed) return sendPng(closed.head(reply), plainCard, 'no-store');
    if (!card) return sendPng(reply, plainCard, 'no-store');
    return sendPng(reply.header('etag', etag), await card.in('plain'), cacheControl);
  });
}

function sendPng(reply: FastifyReply, png: Buffer, cacheControl: string): FastifyReply {
  // Chats show it on their own pages.
  return reply
    .headers({ 'content-type': 'image/png', 'cache-control': cacheControl, 'cross-origin-resource-policy': 'cross-origin' })
    .send(png);
}
