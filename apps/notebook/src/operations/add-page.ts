import { invalid, Refusal } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Page } from '../model/notebook.ts';
import { createId } from '../model/slug.ts';
import { keepRenderings } from './keep-renderings.ts';
import type { Needs } from './parts.ts';
import { type FileInput, readPage } from './read-notebook-input.ts';
import { onceMore, refusalOfWrite, refuseGone } from './refused-write.ts';
import { type PresentedCredentials, requireWriter } from './require-access.ts';
import { writeSlot } from './require-rate-slot.ts';

export interface AddPageInput {
  readonly title?: string;
  readonly markdown?: string;
  /** The id of the page that it follows; absent: at the end. */
  readonly after?: string;
  /** The file that it comes from. */
  readonly file?: FileInput;
  /** The `Idempotency-Key` of the request. */
  readonly key?: string | undefined;
}

export interface AddedPage {
  readonly page: Page;
  /** False when an earlier request with the same key added it. */
  readonly isNew: boolean;
}

export const addPage = onceMore(
  async (
    parts: Needs<
      'store' | 'objects' | 'renderer' | 'texts' | 'pageRendered' | 'secretKey' | 'now' | 'randomBytes' | 'rateLimits'
    >,
    slug: string,
    input: AddPageInput,
    presented: PresentedCredentials,
  ): Promise<AddedPage> => {
    const { notebook, writer } = await requireWriter(parts, slug, presented);
    const given = readPage(createId(parts.randomBytes, limits.idChars), input, '');
    // Only the owner decides which file an export makes of a page.
    const page = { ...given, key: input.key, ...(writer.kind === 'owner' ? {} : { file: undefined }) };
    const answer = await parts.store.addPage(
      writer,
      page,
      input.after,
      parts.now(),
      writeSlot(parts, 'newPage', notebook, presented),
    );
    switch (answer.kind) {
      case 'added':
        keepRenderings(parts, slug, [answer.page], presented.client);
        return { page: answer.page, isNew: true };
      case 'gone':
        return refuseGone(() => requireWriter(parts, slug, presented));
      case 'added_before':
        return { page: answer.page, isNew: false };
      case 'after_missing':
        throw invalid('after', 'is not a page of this notebook');
      case 'page_limit':
        throw new Refusal('page_limit', { detail: `A notebook holds at most ${limits.maxPagesPerNotebook} pages.` });
      default:
        throw refusalOfWrite(answer, { withFile: page.file !== undefined });
    }
  },
);
