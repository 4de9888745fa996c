import type { ApiNotebook } from '../../api/types.ts';
import { ApiProblem } from '../api/api-client.ts';
import { getNotebookUnless, type NotebookApi } from '../api/notebook-api.ts';
import { whyGone } from '../api/why-gone.ts';

interface SyncParts {
  readonly api: () => NotebookApi;
  /** Sends what must be there before the notebook is read. */
  readonly beforeRead: () => Promise<void>;
  readonly onNotebook: (notebook: ApiNotebook) => void;
  /** The server answered, with news or without. */
  readonly onAnswer: () => void;
  /** The edit link no longer works, or the notebook may not be read: `code` says why. */
  readonly onGone: (code: string) => void;
}

/** Long enough that a quick switch of windows costs no request, short enough that a returning person sees no old text. */
const oldAfterMilliseconds = 10_000;

/** Asks the server for others' changes: on request, and when a tab comes back after some time. */
export class NotebookSync {
  readonly #parts: SyncParts;
  #etag: string | undefined;
  #fetching: Promise<void> | undefined;
  #mustRepeat = false;
  #lastFetchAt = Date.now();
  #writes = 0;
  #pending = new Set<Promise<unknown>>();

  constructor(parts: SyncParts) {
    this.#parts = parts;
  }

  /** Notes a change of our own to pages or settings: a read that overlaps it may not show it and is repeated. */
  noteWrite(answer: Promise<unknown>): void {
    this.#writes += 1;
    this.#pending.add(answer);
    const end = (): void => {
      this.#writes += 1;
      this.#pending.delete(answer);
    };
    answer.then(end, end);
  }

  /** Notes what another tab has saved: a read that overlaps it may be older. */
  noteSaved(): void {
    this.#writes += 1;
  }

  /** Called after sleep and when a tab comes back from the background. */
  async refreshIfOld(): Promise<void> {
    // A clock that was set back must not keep others' changes away until it is as late again.
    if (Math.abs(Date.now() - this.#lastFetchAt) > oldAfterMilliseconds) await this.refresh();
  }

  /** Reads everything again, even if it is unchanged on the server: something here does not match it. */
  async refreshWholly(): Promise<void> {
    this.#etag = undefined;
    await this.refresh();
  }

  /** Fetches again after a fetch that is already under way, because its answer may be too old. */
  refresh(): Promise<void> {
    this.#lastFetchAt = Date.now();
    this.#mustRepeat = this.#fetching !== undefined;
    this.#fetching ??= this.#fetchUntilCurrent().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchUntilCurrent(): Promise<void> {
    do {
      this.#mustRepeat = false;
      await this.#fetch();
    } while (this.#mustRepeat);
  }

  async #fetch(): Promise<void> {
    await this.#parts.beforeRead();
    await Promise.allSettled(this.#pending);
    const { slug, editToken } = this.#parts.api();
    const writes = this.#writes;
    try {
      const seen = await getNotebookUnless(this.#etag, { slug, editToken });
      if (writes !== this.#writes) return await this.#fetch();
      if (seen) {
        this.#etag = seen.etag;
        this.#parts.onNotebook(seen.notebook);
      }
      this.#parts.onAnswer();
    } catch (problem) {
      // Without a connection we learn nothing; the next fetch will tell.
      if (!isGone(problem)) return;
      const code = await whyGone(problem, slug, editToken);
      if (this.#parts.api().editToken === editToken) this.#parts.onGone(code);
    }
  }
}

const goneCodes = ['edit_token_missing', 'edit_token_invalid', 'password_required', 'not_found', 'taken_down'];

/** Checks our own error codes: a 404 from some proxy on the way says nothing about the notebook. */
export function isGone(problem: unknown): problem is ApiProblem {
  return problem instanceof ApiProblem && goneCodes.includes(problem.code);
}
