import type { FastifyInstance, FastifyReply } from 'fastify';
import * as calls from '../api/calls.ts';
import { answers, SlugParams, sharedProblems, UnlockBody } from '../api/schemas.ts';
import { Refusal } from '../errors.ts';
import { networksOf } from '../http/addresses/client-ip.ts';
import { challengeOf } from '../http/answers/problem.ts';
import { isForm } from '../http/bodies/bodies.ts';
import { readerCookieName, readerCookieSeconds, unlockCookieName, unlockCookieSeconds } from '../model/cookies.ts';
import { openOnce } from '../operations/open-once.ts';
import { unlockNotebook } from '../operations/unlock-notebook.ts';
import { urls } from '../urls.ts';
import { renderUnlock } from '../views/unlock.tsx';
import { clientOf, cookieOptions, type RouteContext, readCredentials, type SlugPath, sendHtml } from './context.ts';
import { on } from './on.ts';

type UnlockRequest = SlugPath & { Body: UnlockBody };

/** Shows the same form again with the error above it, and nothing of the notebook. */
function sendUnlockAgain(
  context: RouteContext,
  reply: FastifyReply,
  place: { readonly slug: string; readonly pageId: string | undefined },
  refusal: Refusal,
): FastifyReply {
  if (refusal.status === 401) reply.header('www-authenticate', challengeOf(refusal.code));
  const { retryAfterSeconds } = refusal.extras;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  const problem = refusal.extras.detail ? `${refusal.message} ${refusal.extras.detail}` : refusal.message;
  return sendHtml(
    reply.header('x-robots-tag', 'noindex'),
    refusal.status,
    renderUnlock(context.site, { ...place, problem }),
    'no-store',
  );
}

export function unlockRoutes(app: FastifyInstance, context: RouteContext): void {
  const { parts } = context;
  on<UnlockRequest>(
    app,
    calls.unlockNotebook,
    [':slug'],
    {
      config: { accepts: 'form', setsCookie: true },
      schema: {
        summary: 'Unlock with the password; sets nb_unlock_{slug} for 24 hours',
        tags: ['reading'],
        params: SlugParams,
        body: UnlockBody,
        response: answers(204, undefined, ...sharedProblems.body, 'password_wrong', 'forbidden', 'not_found', 'taken_down'),
      },
    },
    async (request, reply) => {
      const { slug } = request.params;
      const { password, pageId } = request.body;
      try {
        const key = clientOf(request);
        const guesser = { key, networks: networksOf(key) };
        const cookie = await unlockNotebook(parts, slug, password, readCredentials(request), guesser);
        if (cookie !== undefined) reply.setCookie(unlockCookieName(slug), cookie, cookieOptions(context, unlockCookieSeconds));
      } catch (error) {
        const again = error instanceof Refusal && ['password_wrong', 'rate_limited', 'unavailable'].includes(error.code);
        if (!again || !isForm(request)) throw error;
        return sendUnlockAgain(context, reply, { slug, pageId }, error);
      }
      if (!isForm(request)) return reply.code(204).send();
      return reply.redirect(pageId ? urls.viewPage(slug, encodeURIComponent(pageId)) : urls.view(slug), 303);
    },
  );

  on<SlugPath>(
    app,
    calls.openOnce,
    [':slug'],
    {
      config: { accepts: 'form', setsCookie: true },
      schema: {
        summary: 'Open a burn-after-read notebook, once',
        tags: ['reading'],
        params: SlugParams,
        response: answers(303, undefined, 'password_required', 'forbidden', 'not_found', 'taken_down'),
      },
    },
    async (request, reply) => {
      const { slug } = request.params;
      const readerCookie = await openOnce(parts, slug, readCredentials(request));
      return reply
        .setCookie(readerCookieName(slug), readerCookie, cookieOptions(context, readerCookieSeconds))
        .redirect(urls.view(slug), 303);
    },
  );
}
