import type { ApiNotebook } from '../../api/types.ts';
import { ApiProblem } from '../api/api-client.ts';
import { NotebookApi } from '../api/notebook-api.ts';
import { getOwnNotebook } from '../api/read-notebook.ts';
import { randomKey } from '../device/random-key.ts';
import { findSavedNotebook, listKeptNotebooks, type SavedNotebook, saveNotebook } from '../device/saved-notebooks.ts';

/**
 * A replacement of the edit link. Its key is kept before it is asked for: when the answer is lost the old link may be dead, and with the key
 * the server says the new one again, to this tab or to the next one that opens the notebook.
 */
export class LinkReplacement {
  readonly #slug: string;
  /** Where the browser keeps nothing, this tab has it. */
  #key: string | undefined;

  constructor(slug: string) {
    this.#slug = slug;
  }

  /** Nobody knows yet whether the link was replaced, by this tab or another one. */
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

/** It was not replaced. What broke in the server may have been, and what came too often or too slowly says nothing of the time before. */
const isRefusal = (problem: unknown) =>
  problem instanceof ApiProblem && problem.status < 500 && ![408, 429].includes(problem.status);

/** @throws ApiProblem when the link is dead and was not replaced from this browser */
export async function openByLink(editToken: string): Promise<{ notebook: ApiNotebook; editToken: string }> {
  try {
    return { notebook: await getOwnNotebook(editToken), editToken };
  } catch (problem) {
    const saved = listKeptNotebooks().find(kept => kept.editToken === editToken);
    const key = keyOf(saved);
    if (!saved || key === undefined || !(problem instanceof ApiProblem && problem.status === 404)) throw problem;
    const made = await new NotebookApi(saved.slug, editToken).rotateToken(key).catch(fault => {
      throw isRefusal(fault) ? problem : fault;
    });
    saveNotebook({ ...withKey(saved, undefined), editToken: made.editToken });
    return { notebook: await getOwnNotebook(made.editToken), editToken: made.editToken };
  }
}
