import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as calls from '../api/calls.ts';
import { answers, ReportAnswer, ReportBody, SlugParams, sharedProblems, TokenHeader } from '../api/schemas.ts';
import { Refusal } from '../errors.ts';
import { challengeOf } from '../http/answers/problem.ts';
import { isForm } from '../http/bodies/bodies.ts';
import { reportNotebook } from '../operations/report-notebook.ts';
import { requireReadable } from '../operations/require-access.ts';
import { urls } from '../urls.ts';
import { renderReport } from '../views/report.tsx';
import { accessFirst } from './access-first.ts';
import { clientOf, type RouteContext, readCredentials, type SlugPath, sendHtml } from './context.ts';
import { on } from './on.ts';
import { Interstitial, requireVisible } from './view.ts';

type ReportRequest = SlugPath & { Body: ReportBody };

function sendFormAgain(context: RouteContext, reply: FastifyReply, request: FastifyRequest<ReportRequest>, refusal: Refusal) {
  const { retryAfterSeconds, detail, errors } = refusal.extras;
  if (refusal.status === 401) reply.header('www-authenticate', challengeOf(refusal.code));
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  const locked = refusal.code === 'password_required';
  const more = locked ? 'Unlock it in a new tab, then send the report here.' : detail;
  const fault = errors?.find(({ path }) => path === 'detail');
  const problem = fault ? `The text for the operator ${fault.message}.` : [refusal.message, more].filter(Boolean).join(' ');
  const page = renderReport(context.site, { slug: request.params.slug, problem, locked, ...request.body });
  return sendHtml(reply.header('x-robots-tag', 'noindex'), refusal.status, page, 'no-store');
}

/** A reader reports a notebook to the operator, on a page that works without a script or through the API. */
export function reportRoutes(app: FastifyInstance, context: RouteContext): void {
  app.get<SlugPath & { Querystring: { sent?: string } }>(
    urls.report(':slug'),
    { schema: { hide: true } },
    async (request, reply) => {
      const { slug } = request.params;
      const seen = await requireVisible(context, request, slug);
      if (seen instanceof Interstitial) return seen.send(reply);
      const page = renderReport(context.site, { slug, sent: request.query.sent === '1' });
      return sendHtml(reply.header('x-robots-tag', 'noindex'), 200, page, 'no-store');
    },
  );

  on<ReportRequest>(
    app,
    calls.reportNotebook,
    [':slug'],
    {
      ...accessFirst(context.parts, requireReadable),
      config: { accepts: 'form' },
      schema: {
        summary: 'Tell the operator of a notebook',
        tags: ['reading'],
        params: SlugParams,
        headers: TokenHeader,
        body: ReportBody,
        response: answers(202, ReportAnswer, ...sharedProblems.reading, ...sharedProblems.body, 'forbidden'),
      },
    },
    async (request, reply) => {
      const { slug } = request.params;
      try {
        await reportNotebook(context.parts, slug, request.body, readCredentials(request), clientOf(request));
      } catch (error) {
        // A report of a notebook that is gone has reached its end.
        const again = error instanceof Refusal && !['not_found', 'taken_down'].includes(error.code);
        if (!again || !isForm(request)) throw error;
        return sendFormAgain(context, reply, request, error);
      }
      return isForm(request) ? reply.redirect(`${urls.report(slug)}?sent=1`, 303) : reply.code(202).send({ reported: true });
    },
  );
}
