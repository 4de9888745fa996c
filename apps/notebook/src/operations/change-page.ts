import { pageAnswer } from '../api/page-answer.ts';
import { Refusal } from '../errors.ts';
import { limits } from '../limits.ts';
import { firstHeading } from '../markdown/heading.ts';
import type { Page } from '../model/notebook.ts';
import { createId } from '../model/slug.ts';
import { tidyTitle } from '../model/title.ts';
import type { ChangePageResult } from '../store/store.ts';
import { keepRenderings } from './keep-renderings.ts';
import type { Needs } from './parts.ts';
import { type FileInput, readFile, requireMarkdownFits } from './read-notebook-input.ts';
import { onceMore, refusalOfWrite, refuseGone } from './refused-write.ts';
import { type PresentedCredentials, requireWriter } from './require-access.ts';
import { writeSlot } from './require-rate-slot.ts';

export interface ChangePageInput {
  readonly title?: string;
  readonly markdown?: string;
  /** Makes a snapshot at most every five minutes (contract, "snapshots"). */
  readonly autosave?: boolean;
  /** The file that it comes from now; only an owner can set it. */
  readonly file?: FileInput;
}

export function staleRevision(page: Page): Refusal {
  return new Refusal('stale_revision', { page: pageAnswer(page), detail: `The page is at revision ${page.revision}.` });
}

/** @throws Refusal `stale_revision` with the current page, for the writer to merge with */
export function requireChanged(answer: ChangePageResult, about?: { readonly withFile: boolean }): Page {
  switch (answer.kind) {
    case 'changed':
    case 'unchanged':
      return answer.page;
    case 'stale':
      throw staleRevision(answer.page);
    case 'page_missing':
    case 'snapshot_missing':
      throw new Refusal('not_found');
    default:
      throw refusalOfWrite(answer, about);
  }
}

/** @param expectedRevision from `If-Match`; undefined: the last writer wins */
export const changePage = onceMore(
  async (
    parts: Needs<
      'store' | 'objects' | 'renderer' | 'texts' | 'pageRendered' | 'secretKey' | 'now' | 'randomBytes' | 'rateLimits'
    >,
    at: { readonly slug: string; readonly pageId: string; readonly expectedRevision: number | undefined },
    input: ChangePageInput,
    presented: PresentedCredentials,
  ): Promise<Page> => {
    const { notebook, writer } = await requireWriter(parts, at.slug, presented);
    const { markdown } = input;
    if (markdown !== undefined) requireMarkdownFits(markdown, 'markdown');
    const file = readFile(input.file, '');
    // Only the owner decides which file an export makes of a page.
    const ownFile = writer.kind === 'owner' ? file : undefined;
    const change = {
      givenTitle: input.title === undefined ? undefined : tidyTitle(input.title),
      markdown,
      heading: markdown === undefined ? undefined : firstHeading(markdown),
      expectedRevision: at.expectedRevision,
      autosave: input.autosave ?? false,
      newSnapshotId: createId(parts.randomBytes, limits.idChars),
      ...(ownFile ? { file: ownFile } : {}),
    };
    const answer = await parts.store.changePage(
      writer,
      at.pageId,
      change,
      parts.now(),
      writeSlot(parts, 'contentWrite', notebook, presented),
    );
    if (answer.kind === 'gone') await refuseGone(() => requireWriter(parts, at.slug, presented));
    const page = requireChanged(answer, { withFile: ownFile !== undefined });
    if (answer.kind === 'changed' && !change.autosave) keepRenderings(parts, at.slug, [page], presented.client);
    return page;
  },
);
