import { Refusal } from '../errors.ts';
import { createEditToken, deriveFirstEditToken } from '../model/edit-token.ts';
import type { Notebook, Page, PageHead } from '../model/notebook.ts';
import { type Created, KeyUsed } from './create-notebook.ts';
import type { Needs } from './parts.ts';
import { findOwnNotebook, fitsInOneAnswer, readWhole } from './read-notebook.ts';

/** The notebook that an earlier request with the same key created, as it is now. */
export interface CreatedBefore {
  readonly notebook: Notebook;
  readonly heads: readonly PageHead[];
  /** Absent when they are too long for one answer. */
  readonly pages?: readonly Page[];
  readonly editToken: string;
  readonly isNew: false;
}

/**
 * Creates a notebook unless a request with the same key already has. The answer to that one may have been lost: then nobody has its links,
 * and its slug is taken.
 * @param key the `Idempotency-Key` of the request
 * @param create receives the edit token for the notebook
 * @throws Refusal as `create` does, and when the notebook was taken down since or its edit link replaced
 */
export async function createOnce(
  parts: Needs<'store' | 'secretKey' | 'now' | 'randomBytes'>,
  key: string | undefined,
  create: (editToken: string) => Promise<Created>,
): Promise<Created | CreatedBefore> {
  if (key === undefined) return create(createEditToken(parts.randomBytes));
  const editToken = deriveFirstEditToken(parts.secretKey, key);
  const before = await findCreated(parts, editToken);
  if (before) return before;
  let attempt = () => create(editToken);
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof KeyUsed)) throw error;
      // The same request may have arrived twice at once.
      const beside = await findCreated(parts, editToken);
      if (beside) return beside;
      if (attempts === mostAttempts) throw error;
      // Deleted at once, or its edit link was replaced: only another attempt tells, because a deletion frees the key.
      attempt = error.createAgain;
    }
  }
}

/** Another attempt is needed only if the same request had made a notebook that was deleted. */
const mostAttempts = 3;

async function findCreated(parts: Needs<'store' | 'now'>, editToken: string): Promise<CreatedBefore | undefined> {
  const find = async () => {
    const read = await findOwnNotebook(parts, editToken);
    if (read === 'taken-down') throw new Refusal('taken_down');
    return read;
  };
  const read = await find();
  if (!read) return undefined;
  if (!fitsInOneAnswer(read.notebook)) return { notebook: read.notebook, heads: read.heads, editToken, isNew: false };
  const whole = await readWhole(parts, read, find);
  return whole && { notebook: whole.notebook, heads: whole.pages, pages: whole.pages, editToken, isNew: false };
}
