import type { ApiNotebook } from '../../api/types.ts';
import { ApiProblem } from '../api/api-client.ts';
import { getNotebookUnless, type NotebookApi } from '../api/notebook-api.ts';

interface SyncParts {
  readonly api: () => NotebookApi;
  readonly onNotebook: (notebook: ApiNotebook) => void;
  /** The server answered, with news or without. */
  readonly onAnswer: () => void;
  /** The edit link no longer works. */
  readonly onGone: () => void;
}

/** What a returning person would notice; short enough for a quick change of windows to cost nothing. */
const oldAfterMilliseconds = 10_000;

/** Looks at the server for what others changed: by request, and when a tab comes back after some time. */
export class NotebookSync {
  readonly #parts: SyncParts;
  #etag: string | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #lastLook = Date.now();
  #writes = 0;
  #pending = new Set<Promise<unknown>>();

  constructor(parts: SyncParts) {
    this.#parts = parts;
  }

  /** Our own change of pages or settings: an answer that was on its way meanwhile does not know of it. */
  noteWrite(answer: Promise<unknown>): void {
    this.#writes += 1;
    this.#pending.add(answer);
    const end = (): void => {
      this.#writes += 1;
      this.#pending.delete(answer);
    };
    answer.then(end, end);
  }

  /** After sleep, in a tab that was in the background. */
  async refreshIfOld(): Promise<void> {
    if (Date.now() - this.#lastLook > oldAfterMilliseconds) await this.refresh();
  }

  /** What was seen already is looked at once more: something here does not fit it. */
  async refreshWholly(): Promise<void> {
    this.#etag = undefined;
    await this.refresh();
  }

  /** An answer that is on its way already may be older than what this is asked for. */
  refresh(): Promise<void> {
    this.#lastLook = Date.now();
    this.#again = this.#looking !== undefined;
    this.#looking ??= this.#lookUntilNew().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookUntilNew(): Promise<void> {
    do {
      this.#again = false;
      await this.#look();
    } while (this.#again);
  }

  async #look(): Promise<void> {
    await Promise.allSettled(this.#pending);
    const { slug, editToken } = this.#parts.api();
    const writes = this.#writes;
    try {
      const seen = await getNotebookUnless(this.#etag, { slug, editToken });
      if (writes !== this.#writes) return await this.#look();
      if (seen) {
        this.#etag = seen.etag;
        this.#parts.onNotebook(seen.notebook);
      }
      this.#parts.onAnswer();
    } catch (problem) {
      // No connection is no news: the next look will tell.
      if (isGone(problem) && this.#parts.api().editToken === editToken) this.#parts.onGone();
    }
  }
}

const goneCodes = ['edit_token_missing', 'edit_token_invalid', 'password_required', 'not_found', 'taken_down'];

/** By the code of our own answers: a 404 of some proxy on the way says nothing about the notebook. */
export function isGone(problem: unknown): boolean {
  return problem instanceof ApiProblem && goneCodes.includes(problem.code);
}
