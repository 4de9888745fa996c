import type { ApiNotebook } from '../../api/types.ts';
import { ApiProblem } from '../api/api-client.ts';
import { NotebookApi } from '../api/notebook-api.ts';
import { requireNotebook } from '../api/own-answers.ts';
import { getOwnNotebook } from '../api/read-notebook.ts';
import { randomKey } from '../device/random-key.ts';
import { findSavedNotebook, listKeptNotebooks, type SavedNotebook, saveNotebook } from '../device/saved-notebooks.ts';

/**
 * Replaces the edit link. Its key is stored before the request: if the answer is lost, the old link may be dead, and with the key the
 * server returns the new link again, to this tab or to the next one that opens the notebook.
 */
export class LinkReplacement {
  readonly #slug: string;
  /** Kept in this tab too, for browsers that store nothing. */
  #key: string | undefined;

  constructor(slug: string) {
    this.#slug = slug;
  }

  /** True while we do not know whether this or another tab replaced the link. */
  get isAwaited(): boolean {
    return this.#awaited !== undefined;
  }

  async replace(api: NotebookApi): Promise<{ editToken: string; editUrl: string }> {
    const key = this.#awaited ?? randomKey(16);
    this.#key = key;
    this.#keep(key);
    try {
      const answer = await api.rotateToken(key);
      this.#key = undefined;
      return answer;
    } catch (problem) {
      if (isRefusal(problem)) {
        this.#key = undefined;
        this.#keep(undefined);
      }
      throw problem;
    }
  }

  get #awaited(): string | undefined {
    return this.#key ?? keyOf(findSavedNotebook(this.#slug));
  }

  #keep(key: string | undefined): void {
    const saved = findSavedNotebook(this.#slug);
    if (saved) saveNotebook(withKey(saved, key));
  }
}

const keyOf = (saved: SavedNotebook | undefined) =>
  /^[\w-]{22,64}$/.test(saved?.replacing ?? '') ? saved?.replacing : undefined;

function withKey({ replacing: _, ...saved }: SavedNotebook, key: string | undefined): SavedNotebook {
  return key === undefined ? saved : { ...saved, replacing: key };
}

/**
 * Whether the link was certainly not replaced. After a 5xx it may have been; a 408, a 429 or a refusal by something on the way says nothing
 * about earlier tries.
 */
const isRefusal = (problem: unknown) =>
  problem instanceof ApiProblem && problem.code !== 'unknown' && problem.status < 500 && ![408, 429].includes(problem.status);

/** @throws ApiProblem when the link is dead and was not replaced from this browser */
export async function openByLink(editToken: string): Promise<{ notebook: ApiNotebook; editToken: string }> {
  try {
    return { notebook: requireNotebook(await getOwnNotebook(editToken)), editToken };
  } catch (problem) {
    const saved = listKeptNotebooks().find(kept => kept.editToken === editToken);
    const key = keyOf(saved);
    if (!saved || key === undefined || !(problem instanceof ApiProblem && problem.status === 404)) throw problem;
    const made = await new NotebookApi(saved.slug, editToken).rotateToken(key).catch(fault => {
      throw isRefusal(fault) ? problem : fault;
    });
    saveNotebook({ ...withKey(saved, undefined), editToken: made.editToken });
    return { notebook: requireNotebook(await getOwnNotebook(made.editToken)), editToken: made.editToken };
  }
}
