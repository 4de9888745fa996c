import { Refusal } from '../errors.ts';
import { type Access, decideAccess } from '../model/access.ts';
import { isReaderCookie, isUnlockedBy } from '../model/cookies.ts';
import type { Notebook } from '../model/notebook.ts';
import { Owner, Visitor, type Writer } from '../model/rights.ts';
import { isSlug } from '../model/slug.ts';
import type { Needs } from './parts.ts';

/** What a request brings along, as it came: proofs for one notebook, worth nothing until they are checked against it. */
export interface Presented {
  /** Whom limits count: the address, as `http/client-ip.ts` makes it. No proof of anything. */
  readonly client?: string | undefined;
  /** From `X-Edit-Token` or the edit link. */
  readonly editToken?: string | undefined;
  readonly unlockCookie?: string | undefined;
  readonly readerCookie?: string | undefined;
}

export interface Opened {
  readonly notebook: Notebook;
  readonly access: Access;
}

/** The gate, asked with a record that is at hand. */
export function accessOf(
  parts: Needs<'secretKey' | 'now'>,
  notebook: Notebook,
  { editToken, unlockCookie, readerCookie }: Presented,
): Access {
  const now = parts.now();
  const unlocked = isUnlockedBy(unlockCookie, parts.secretKey, notebook, now);
  return decideAccess(notebook, { editToken, unlocked, isReader: isReaderCookie(readerCookie, notebook, now) }, now);
}

/** The notebook behind a slug together with what this caller may do: the gate in front of every door. */
export async function findOpened(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: Presented,
): Promise<Opened | undefined> {
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
    // Through the API an unopened burn-after-read notebook is not there: it is opened in a browser.
    case 'opens-once':
    case 'missing':
      return new Refusal('not_found');
  }
}

/** @throws Refusal when this caller may not read the notebook through the API */
export async function requireReadable(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: Presented,
): Promise<Opened> {
  const opened = await findOpened(parts, slug, presented);
  if (!opened) throw new Refusal('not_found');
  const refusal = refusalOf(opened.access);
  if (refusal) throw refusal;
  return opened;
}

export interface Owned {
  readonly notebook: Notebook;
  readonly owner: Owner;
}

/** @throws Refusal 404 where nothing may be known of the notebook, else 401 or 403 when the edit token is missing or wrong */
export async function requireOwner(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: Presented,
): Promise<Owned> {
  const opened = await findOpened(parts, slug, presented);
  if (!opened || opened.access.kind === 'missing') throw new Refusal('not_found');
  if (opened.access.kind === 'owner') return { notebook: opened.notebook, owner: opened.access.owner };
  if (opened.access.kind === 'taken-down') throw new Refusal('taken_down');
  throw new Refusal(opened.access.kind === 'wrong-token' ? 'edit_token_invalid' : 'edit_token_missing');
}

/** Content may be written with the edit token, or by a reader under open editing. Read-only stops both. */
export async function requireWriter(
  parts: Needs<'store' | 'secretKey' | 'now'>,
  slug: string,
  presented: Presented,
): Promise<{ notebook: Notebook; writer: Writer }> {
  const opened = await findOpened(parts, slug, presented);
  if (!opened) throw new Refusal('not_found');
  const { notebook, access } = opened;
  const refusal = refusalOf(access);
  // To somebody who may not even read it, the missing edit token is the nearer reason, unless nothing may be known of it.
  if (refusal && access.kind === 'locked' && !notebook.openEditing) throw new Refusal('edit_token_missing');
  if (refusal) throw refusal;
  const writer = access.kind === 'owner' ? access.owner : Visitor.check(notebook);
  if (!writer) throw new Refusal('edit_token_missing');
  if (notebook.readOnly) throw new Refusal('read_only');
  return { notebook, writer };
}

/** The notebook that an edit token owns, when the token is all there is (`/e/{edit_token}`, `GET /api/notebook`). */
export function ownedBy(notebook: Notebook | undefined, editToken: string, now: number): Owned | 'taken-down' | undefined {
  if (!notebook) return undefined;
  const access = decideAccess(notebook, { editToken }, now);
  if (access.kind === 'taken-down') return Owner.check(notebook, editToken) ? 'taken-down' : undefined;
  return access.kind === 'owner' ? { notebook, owner: access.owner } : undefined;
}
