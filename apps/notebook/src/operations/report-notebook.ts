import { invalid } from '../errors.ts';
import { limits } from '../limits.ts';
import { readReportReason } from '../model/report.ts';
import { readShortText } from '../model/short-text.ts';
import { createId } from '../model/slug.ts';
import type { Needs } from './parts.ts';
import { refuseGone } from './refused-write.ts';
import { type PresentedCredentials, requireReadable } from './require-access.ts';
import { requireRateSlot } from './require-rate-slot.ts';

export interface ReportInput {
  /** One of `reportReasons`, or a reason in the reader's own words. */
  readonly reason: string;
  readonly detail?: string;
}

/**
 * Reports a notebook to the operator. Anyone who may read it may report it; about any other notebook, this reveals nothing.
 * @throws Refusal as reading does, `invalid` or `rate_limited`
 */
export async function reportNotebook(
  parts: Needs<'store' | 'secretKey' | 'now' | 'randomBytes' | 'rateLimits'>,
  slug: string,
  input: ReportInput,
  presented: PresentedCredentials,
  clientKey: string,
): Promise<void> {
  const { notebook } = await requireReadable(parts, slug, presented);
  const given = readShortText(input.reason, 'reason', limits.maxReportReasonChars);
  if (given === '') throw invalid('reason', 'must say why');
  const detail = readShortText(input.detail ?? '', 'detail', limits.maxReportDetailChars);
  const reason = readReportReason(given);
  await requireRateSlot(parts, 'report', clientKey);
  const answer = await parts.store.addReport({
    id: createId(parts.randomBytes, limits.idChars),
    notebookId: notebook.id,
    slug,
    // A reason in the reader's own words may quote the notebook, so it is kept with the detail, which goes when the notebook goes.
    ...(reason ? { reason, detail } : { reason: 'other', detail: [given, detail].filter(Boolean).join('\n') }),
    createdAt: parts.now(),
  });
  if (answer === 'gone') await refuseGone(() => requireReadable(parts, slug, presented));
}
