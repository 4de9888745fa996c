import { Refusal } from '../errors.ts';
import { nextTurn } from '../event-loop-turns.ts';
import { limits } from '../limits.ts';
import { createEditToken, hashEditToken } from '../model/edit-token.ts';
import type { Notebook, Page, PageToKeep } from '../model/notebook.ts';
import { countFileBytes, countMarkdownBytes } from '../model/notebook-room.ts';
import { createId, createSlug } from '../model/slug.ts';
import { notebookTitle } from '../model/title.ts';
import { keepRenderings } from './keep-renderings.ts';
import type { Needs } from './parts.ts';
import { requirePasswordFits } from './passwords.ts';
import { type FileInput, readExpiry, readPage, requireSlug } from './read-notebook-input.ts';
import { notebookTooLarge } from './refused-write.ts';
import { requireRateSlot } from './require-rate-slot.ts';
import type { SettingsInput } from './settings-input.ts';

export interface CreateNotebookInput extends SettingsInput {
  readonly slug?: string;
  readonly pages?: readonly { readonly title?: string; readonly markdown: string; readonly file?: FileInput }[];
}

export interface Created {
  readonly notebook: Notebook;
  readonly pages: readonly Page[];
  /** The raw edit token, which is never stored: answered only this once, unless the request has a key (create-once.ts). */
  readonly editToken: string;
  readonly isNew: true;
}

/** The edit token of the request's key belongs to another notebook, or did until it was replaced. */
export class KeyUsed extends Refusal {
  /** The same creation once more, without being counted again: that other notebook may have been deleted since. */
  readonly createAgain: () => Promise<Created>;

  constructor(createAgain: () => Promise<Created>) {
    const message = 'has created a notebook whose edit link was replaced or which has expired; send a new key';
    super('invalid', { detail: `idempotency-key: ${message}`, errors: [{ path: 'idempotency-key', message }] });
    this.createAgain = createAgain;
  }
}

/** Characters searched for headings in one turn of the event loop; this takes some milliseconds. */
const turnChars = 262_144;

async function readPages(
  parts: Needs<'randomBytes'>,
  input: CreateNotebookInput,
  notebookId: string,
  now: number,
): Promise<PageToKeep[]> {
  const given = input.pages?.length ? input.pages : [{ markdown: '' }];
  const pages: PageToKeep[] = [];
  let chars = 0;
  for (const [position, page] of given.entries()) {
    chars += page.markdown.length;
    if (chars > turnChars) {
      chars = page.markdown.length;
      await nextTurn();
    }
    const read = readPage(createId(parts.randomBytes, limits.idChars), page, `pages[${position}]`);
    pages.push({ ...read, notebookId, position, revision: 1, updatedAt: now });
  }
  return pages;
}

export type CreationParts = Needs<
  | 'store'
  | 'objects'
  | 'renderer'
  | 'passwords'
  | 'texts'
  | 'maxNotebookBytes'
  | 'pageRendered'
  | 'now'
  | 'randomBytes'
  | 'rateLimits'
>;

/**
 * Creates a notebook with its pages and answers the edit token, once (spec 1 §1, §2).
 * @param editToken for the notebook; by default a random one
 */
export async function createNotebook(
  parts: CreationParts,
  input: CreateNotebookInput,
  clientKey: string,
  editToken = createEditToken(parts.randomBytes),
): Promise<Created> {
  const now = parts.now();
  const id = Buffer.from(parts.randomBytes(16)).toString('hex');
  const pages = await readPages(parts, input, id, now);
  const slug = input.slug === undefined ? createSlug(parts.randomBytes) : requireSlug(input.slug);
  const expiresAt = readExpiry(input, now) ?? null;
  if (input.password != null) requirePasswordFits(input.password);
  const markdownBytes = countMarkdownBytes(pages);
  const fileBytes = pages.reduce((sum, { file }) => sum + countFileBytes(file), 0);
  if (markdownBytes + fileBytes > parts.maxNotebookBytes) throw notebookTooLarge(parts.maxNotebookBytes, fileBytes > 0);
  await requireRateSlot(parts, 'create', clientKey);
  const notebook: Notebook = {
    id,
    slug,
    title: notebookTitle(input.title ?? '', pages[0]),
    visibility: input.visibility ?? 'unlisted',
    expiresAt,
    passwordHash: input.password == null ? null : await parts.passwords.hash(input.password, clientKey),
    readOnly: input.readOnly ?? false,
    burnAfterRead: input.burnAfterRead ?? false,
    openedAt: null,
    readerHash: null,
    openEditing: input.openEditing ?? false,
    embedding: input.embedding ?? false,
    comments: input.comments ?? true,
    paper: input.paper ?? 'plain',
    editTokenHash: hashEditToken(editToken),
    takenDownAt: null,
    createdAt: now,
    updatedAt: now,
    version: 1,
    markdownBytes,
  };
  const keep = async (): Promise<Created> => {
    const result = await parts.store.createNotebook(notebook, pages);
    if (result === 'token_used') throw new KeyUsed(keep);
    if (result === 'slug_taken') throw slugTaken(notebook);
    keepRenderings(parts, notebook.slug, pages, clientKey);
    return { notebook, pages, editToken, isNew: true };
  };
  return keep();
}

function slugTaken({ slug }: Notebook): Refusal {
  return new Refusal('slug_taken', {
    detail: `Choose an address other than "${slug}".`,
    errors: [{ path: 'slug', message: 'is already taken' }],
  });
}
