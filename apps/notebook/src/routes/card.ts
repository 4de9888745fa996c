import type { FastifyInstance, FastifyReply } from 'fastify';
import { Refusal } from '../errors.ts';
import { FinishedPage } from '../http/answers/compressed.ts';
import { decideAccess } from '../model/access.ts';
import { isListed, isShared } from '../model/listed.ts';
import type { Notebook } from '../model/notebook.ts';
import { afterTitle } from '../model/title.ts';
import { isLasting } from '../operations/render-page.ts';
import { showPage } from '../operations/view-notebook.ts';
import { urls } from '../urls.ts';
import { clientOf, etagMatches, getFinished, type RouteContext, type SlugPath, versionEtag } from './context.ts';
import type { VisibleNotebook } from './draw-view.ts';
import { cacheControlOf, Interstitial, makeSeen, requireVisible } from './view.ts';

/** `/n/{slug}/card.png`: the picture that a chat shows with the view link. */
export function cardRoutes(app: FastifyInstance, context: RouteContext): void {
  const { parts, cards, plainCard, build } = context;

  const draw = async (notebook: Notebook, client: string) => {
    const shown = await showPage(parts, notebook, undefined, client, () => '');
    if (!shown) return undefined;
    const { heads, head, rendered, titleOf } = shown;
    const { facts } = rendered;
    // A chat should not keep a picture of a text that is shown plain only temporarily.
    if (!isLasting(rendered)) return undefined;
    const { title, paper } = notebook;
    const page = titleOf(head);
    const described = page.title === title ? afterTitle(facts.description, page) : facts.description;
    const description = parts.texts.isUnsafe(head) ? '' : described;
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
    const first = await requireVisible(context, request, request.params.slug);
    if (first instanceof Interstitial) return sendPng(first.head(reply), plainCard, 'no-store');
    const isKnown = ({ notebook }: VisibleNotebook) =>
      etagMatches(request.headers['if-none-match'], versionEtag('card', notebook, build));
    const made = await makeSeen(context, request, first, async seen => {
      const { notebook } = seen;
      // A reader with a proof can see the notebook itself. There is a picture to pass on only when the link alone is enough.
      if (!isShared(notebook) || decideAccess(notebook, {}, parts.now()).kind !== 'reader') throw new Refusal('not_found');
      if (isKnown(seen)) return undefined;
      return getFinished(cards, request, `${notebook.id} ${notebook.version}`, () => findOrDraw(notebook, clientOf(request)));
    });
    if (made instanceof Interstitial) return sendPng(made.head(reply), plainCard, 'no-store');
    const { seen, page: card } = made;
    if (!isListed(seen.notebook)) reply.header('x-robots-tag', 'noindex');
    const etag = versionEtag('card', seen.notebook, build);
    const cacheControl = cacheControlOf(seen);
    if (isKnown(seen)) return reply.code(304).headers({ etag, 'cache-control': cacheControl }).send();
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
