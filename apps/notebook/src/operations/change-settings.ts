import { invalid, Refusal } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Notebook, Page } from '../model/notebook.ts';
import { tidyTitle } from '../model/title.ts';
import type { Needs } from './parts.ts';
import { requirePasswordFits } from './passwords.ts';
import { readExpiry } from './read-notebook-input.ts';
import { onceMore, refuseGone } from './refused-write.ts';
import { type PresentedCredentials, requireOwner } from './require-access.ts';
import { requireRateSlot } from './require-rate-slot.ts';
import type { SettingsInput } from './settings-input.ts';

export interface ChangeSettingsInput extends SettingsInput {
  readonly pageOrder?: readonly string[];
}

export interface ChangedNotebook {
  readonly notebook: Notebook;
  /** As they were when the settings changed; absent when they are too long for one answer. */
  readonly pages?: readonly Page[];
}

/** Settings always need the edit token (spec 1 §4). */
export const changeSettings = onceMore(
  async (
    parts: Needs<'store' | 'passwords' | 'secretKey' | 'now' | 'rateLimits'>,
    slug: string,
    input: ChangeSettingsInput,
    presented: PresentedCredentials,
  ): Promise<ChangedNotebook> => {
    const { owner } = await requireOwner(parts, slug, presented);
    readExpiry(input, parts.now());
    if (typeof input.password === 'string') requirePasswordFits(input.password);
    const client = presented.client ?? 'unknown';
    await requireRateSlot(parts, 'settings', client);
    const passwordHash = typeof input.password === 'string' ? await parts.passwords.hash(input.password, client) : input.password;
    // Read again: a password takes its time, and what others save meanwhile was saved before this.
    const now = parts.now();
    const answer = await parts.store.changeSettings(
      owner,
      {
        title: input.title === undefined ? undefined : tidyTitle(input.title),
        visibility: input.visibility,
        expiresAt: readExpiry(input, now),
        passwordHash,
        readOnly: input.readOnly,
        burnAfterRead: input.burnAfterRead,
        openEditing: input.openEditing,
        embedding: input.embedding,
        comments: input.comments,
        paper: input.paper,
        pageOrder: input.pageOrder,
      },
      now,
      limits.wholeNotebookBytes,
    );
    switch (answer.kind) {
      case 'changed':
        return answer;
      case 'gone':
        return refuseGone(() => requireOwner(parts, slug, presented));
      case 'read_only':
        throw new Refusal('read_only');
      case 'page_order_mismatch':
        throw invalid('pageOrder', 'must name every page of the notebook exactly once');
    }
  },
);
