import { Refusal } from '../errors.ts';
import { type Access, decideAccess } from '../model/access.ts';
import { isReaderCookie, isUnlockedBy } from '../model/cookies.ts';
import type { Notebook } from '../model/notebook.ts';
import { Owner, Visitor, type Writer } from '../model/rights.ts';
import { isSlug } from '../model/slug.ts';
import type { Needs } from './parts.ts';

/** The proofs that a request brings, unchecked: they mean nothing until they are compared with a notebook. */
export interface PresentedCredentials {
  /** The key of rate limits: the address, as `http/addresses/client-ip.ts` makes it. It proves nothing. */
  readonly client?: string | undefined;
  /** From `X-Edit-Token` or the edit link. */
  readonly editToken?: string | undefined;
  readonly unlockCookie?: string | undefined;
  readonly readerCookie?: string | undefined;
}

export interface NotebookWithAccess {
  readonly notebook: Notebook;
  readonly access: Access;
}

/** The access check, on a record that was already read. */
export function accessOf(
  parts: Needs<'secretKey' | 'now'>,
  notebook: Notebook,
  { editToken, unlockCookie, readerCookie }: PresentedCredentials,
): Access {
  const now = parts.now();
  const unlocked = isUnlockedBy(unlockCookie, parts.secretKey, notebook, now);
  return decideAccess(notebook, { editToken, unlocked, isReader: isReaderCookie(readerCookie, notebook, now) }, now);
}

/** The notebook with this slug and what this caller may do: the access check in front of every route. */
export async function findWithAccess(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: PresentedCredentials,
): Promise<NotebookWithAccess | undefined> {
  if (!isSlug(slug)) return undefined;
  const notebook = await parts.store.findNotebookBySlug(slug);
  return notebook && { notebook, access: accessOf(parts, notebook, presented) };
}

function refusalOf(access: Access): Refusal | undefined {
  switch (access.kind) {
    case 'owner':
    case 'reader':
      return undefined;
    case 'locked':
      return new Refusal('password_required');
    case 'wrong-token':
      return new Refusal('edit_token_invalid');
    case 'taken-down':
      return new Refusal('taken_down');
    // The API treats an unopened burn-after-read notebook as missing: only a browser can open it.
    case 'opens-once':
    case 'missing':
      return new Refusal('not_found');
  }
}

/** @throws Refusal when this caller may not read the notebook through the API */
export async function requireReadable(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: PresentedCredentials,
): Promise<NotebookWithAccess> {
  const opened = await findWithAccess(parts, slug, presented);
  if (!opened) throw new Refusal('not_found');
  const refusal = refusalOf(opened.access);
  if (refusal) throw refusal;
  return opened;
}

export interface OwnedNotebook {
  readonly notebook: Notebook;
  readonly owner: Owner;
}

/** @throws Refusal 404 when nothing may be revealed about the notebook, else 401 or 403 when the edit token is missing or wrong */
export async function requireOwner(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: PresentedCredentials,
): Promise<OwnedNotebook> {
  return ownerOf(await findWithAccess(parts, slug, presented));
}

/**
 * What the owner asks to read. The check is made again when it was read: the edit link may have been replaced since the check before, and
 * what was read be written since.
 * @throws Refusal as `requireOwner` does
 */
export async function readAsOwner<Found>(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: PresentedCredentials,
  read: (notebookId: string) => Promise<Found>,
): Promise<Found> {
  const { notebook } = await requireOwner(parts, slug, presented);
  const found = await read(notebook.id);
  await requireOwner(parts, slug, presented);
  return found;
}

/** As `requireOwner`, on a record that was already read. */
export function ownerOf(opened: NotebookWithAccess | undefined): OwnedNotebook {
  if (!opened || opened.access.kind === 'missing') throw new Refusal('not_found');
  if (opened.access.kind === 'owner') return { notebook: opened.notebook, owner: opened.access.owner };
  if (opened.access.kind === 'taken-down') throw new Refusal('taken_down');
  throw new Refusal(opened.access.kind === 'wrong-token' ? 'edit_token_invalid' : 'edit_token_missing');
}

/** Content may be written with the edit token, or by a reader under open editing. Read-only forbids both. */
export async function requireWriter(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: PresentedCredentials,
): Promise<{ notebook: Notebook; writer: Writer }> {
  const opened = await findWithAccess(parts, slug, presented);
  if (!opened) throw new Refusal('not_found');
  const { notebook, access } = opened;
  const refusal = refusalOf(access);
  // For a locked notebook without open editing, the password would not help to write: report the missing edit token.
  if (refusal && access.kind === 'locked' && !notebook.openEditing) throw new Refusal('edit_token_missing');
  if (refusal) throw refusal;
  const writer = access.kind === 'owner' ? access.owner : Visitor.check(notebook);
  if (!writer) throw new Refusal('edit_token_missing');
  if (notebook.readOnly) throw new Refusal('read_only');
  return { notebook, writer };
}

/** The notebook that an edit token owns, when the token is all there is (`/e/{edit_token}`, `GET /api/notebook`). */
export function ownedBy(
  notebook: Notebook | undefined,
  editToken: string,
  now: number,
): OwnedNotebook | 'taken-down' | undefined {
  if (!notebook) return undefined;
  const access = decideAccess(notebook, { editToken }, now);
  if (access.kind === 'taken-down') return Owner.check(notebook, editToken) ? 'taken-down' : undefined;
  return access.kind === 'owner' ? { notebook, owner: access.owner } : undefined;
}
