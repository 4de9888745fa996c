import { limits } from '../limits.ts';
import type { ReportReason } from '../model/report.ts';
import { readShortText } from '../model/short-text.ts';
import { createId } from '../model/slug.ts';
import type { Needs } from './parts.ts';
import { type Presented, requireReadable } from './require-access.ts';
import { requireRateSlot } from './require-rate-slot.ts';

export interface ReportInput {
  readonly reason: ReportReason;
  readonly detail?: string;
}

/**
 * Tells the operator of a notebook. Who may read it may report it; of what may not be read nothing is learned here.
 * @throws Refusal as reading does, `invalid` or `rate_limited`
 */
export async function reportNotebook(
  parts: Needs<'store' | 'secretKey' | 'now' | 'randomBytes' | 'rateLimits'>,
  slug: string,
  input: ReportInput,
  presented: Presented,
  clientKey: string,
): Promise<void> {
  const { notebook } = await requireReadable(parts, slug, presented);
  const detail = readShortText(input.detail ?? '', 'detail', limits.maxReportDetailChars);
  await requireRateSlot(parts, 'report', clientKey);
  await parts.store.addReport({
    id: createId(parts.randomBytes, limits.idChars),
    notebookId: notebook.id,
    slug,
    reason: input.reason,
    detail,
    createdAt: parts.now(),
  });
}
