import { invalid, Refusal } from '../errors.ts';
import type { Notebook } from '../model/notebook.ts';
import { notebookTitle, tidyTitle } from '../model/title.ts';
import type { Needs } from './parts.ts';
import { requirePasswordFits } from './passwords.ts';
import { readExpiry } from './read-notebook-input.ts';
import { refuseGone } from './refused-write.ts';
import { type PresentedCredentials, requireOwner } from './require-access.ts';
import { requireRateSlot } from './require-rate-slot.ts';
import type { SettingsInput } from './settings-input.ts';

export interface ChangeSettingsInput extends SettingsInput {
  readonly pageOrder?: readonly string[];
}

/** An empty title gives way to the first heading, as at creation: of the page that is first once the change is made. */
async function readTitle(
  { store }: Needs<'store'>,
  notebookId: string,
  { title, pageOrder }: ChangeSettingsInput,
): Promise<string | undefined> {
  if (title === undefined || tidyTitle(title) !== '') return title && tidyTitle(title);
  const heads = await store.listPageHeads(notebookId);
  return notebookTitle('', heads.find(({ id }) => id === pageOrder?.[0]) ?? heads[0]);
}

/** Settings always need the edit token (spec 1 §4). */
export async function changeSettings(
  parts: Needs<'store' | 'passwords' | 'secretKey' | 'now' | 'rateLimits'>,
  slug: string,
  input: ChangeSettingsInput,
  presented: PresentedCredentials,
): Promise<Notebook> {
  const { notebook, owner } = await requireOwner(parts, slug, presented);
  const now = parts.now();
  const expiresAt = readExpiry(input, now);
  if (typeof input.password === 'string') requirePasswordFits(input.password);
  const client = presented.client ?? 'unknown';
  await requireRateSlot(parts, 'settings', client);
  const passwordHash = typeof input.password === 'string' ? await parts.passwords.hash(input.password, client) : input.password;
  const answer = await parts.store.changeSettings(
    owner,
    {
      title: await readTitle(parts, notebook.id, input),
      visibility: input.visibility,
      expiresAt,
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
  );
  switch (answer.kind) {
    case 'changed':
      return answer.notebook;
    case 'gone':
      return refuseGone(() => requireOwner(parts, slug, presented));
    case 'read_only':
      throw new Refusal('read_only');
    case 'page_order_mismatch':
      throw invalid('pageOrder', 'must name every page of the notebook exactly once');
  }
}
