import { limits } from '../../limits.ts';
import { ApiProblem, NoConnection } from '../api-client.ts';
import type { ApiPage } from '../api-types.ts';
import { withLineFeeds } from './text-edit.ts';

export type SaveState =
  | { readonly kind: 'saved' }
  | { readonly kind: 'unsaved' }
  | { readonly kind: 'saving' }
  /** No answer, or one that may be better next time; tried again by itself. */
  | { readonly kind: 'waiting'; readonly reason: string }
  /** Somebody saved this page in between; the person decides. */
  | { readonly kind: 'conflict'; readonly theirs: ApiPage }
  /** Trying again would not help. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface SaveRequest {
  readonly markdown: string;
  readonly baseRevision: number;
  /** False for a save the person asked for: it always makes a snapshot of what it replaces. */
  readonly autosave: boolean;
  /** True while the page is going away. */
  readonly keepalive: boolean;
}

export interface AutosaveParts {
  readonly send: (request: SaveRequest) => Promise<ApiPage>;
  /** Called before the network is, with the text; and with undefined once the server has acknowledged all of it. */
  readonly keepDraft: (draft: { markdown: string; baseRevision: number } | undefined) => void;
  readonly onState: (state: SaveState) => void;
  readonly now: () => number;
}

const afterLastKey = limits.autosaveAfterLastKeySeconds * 1000;
const afterFirstKey = limits.autosaveAfterFirstKeySeconds * 1000;
const firstRetry = 2_000;
const longestRetry = 60_000;

/**
 * Saves one page: 2 s after the last key, at most 10 s after the first unsaved one, one request at a time, each against the
 * revision it was made from. A text counts as saved only when the server said so.
 */
export class Autosave {
  state: SaveState = { kind: 'saved' };
  readonly #parts: AutosaveParts;
  #text: string;
  #savedText: string;
  #revision: number;
  #firstUnsavedAt: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retryDelay = firstRetry;
  #explicit = false;
  /** Sent, and nobody knows whether it arrived. */
  #unanswered: string | undefined;

  constructor(page: { markdown: string; revision: number }, parts: AutosaveParts) {
    this.#parts = parts;
    this.#text = withLineFeeds(page.markdown);
    this.#savedText = this.#text;
    this.#revision = page.revision;
  }

  get text(): string {
    return this.#text;
  }

  get savedText(): string {
    return this.#savedText;
  }

  get revision(): number {
    return this.#revision;
  }

  /** True while closing the window would lose the server's copy of something. */
  get isUnsaved(): boolean {
    return this.#text !== this.#savedText || this.state.kind === 'saving';
  }

  /** Called with every change of the text. */
  change(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#parts.keepDraft({ markdown: text, baseRevision: this.#revision });
    this.#firstUnsavedAt ??= this.#parts.now();
    if (this.state.kind === 'saved' || this.state.kind === 'refused') this.#show({ kind: 'unsaved' });
    if (this.state.kind === 'unsaved') this.#schedule();
  }

  /** Text that was left behind by a closed tab; based on an older revision it is a conflict at once. */
  adopt(draft: { markdown: string; baseRevision: number }, theirs: ApiPage): void {
    if (draft.markdown === this.#savedText) {
      this.#parts.keepDraft(undefined);
      return;
    }
    const stale = draft.baseRevision !== this.#revision;
    this.#revision = draft.baseRevision;
    this.change(draft.markdown);
    if (stale) this.#conflict(theirs);
  }

  /** Saves now. */
  async flush(options: { explicit?: boolean; keepalive?: boolean } = {}): Promise<void> {
    this.#explicit ||= options.explicit ?? false;
    if (this.state.kind === 'saving' || this.state.kind === 'conflict') return;
    clearTimeout(this.#timer);
    if (this.#text === this.#savedText) return this.#settle();
    await this.#send(options.keepalive ?? false);
  }

  /** Their text was seen and is to be replaced. It becomes a snapshot, because this save is not an automatic one. */
  async keepMine(): Promise<void> {
    if (this.state.kind !== 'conflict') return;
    this.#revision = this.state.theirs.revision;
    this.#savedText = withLineFeeds(this.state.theirs.markdown);
    this.#show({ kind: 'unsaved' });
    await this.flush({ explicit: true });
  }

  /** The server's text replaces mine: after a conflict, a restored snapshot. */
  take(page: { markdown: string; revision: number }): void {
    clearTimeout(this.#timer);
    this.#text = withLineFeeds(page.markdown);
    this.#acknowledge(page, this.#text);
    this.#settle();
  }

  /** Another change of the same page (its title) moves the revision on: it takes its turn between two saves. */
  async withRevision(change: (revision: number) => Promise<ApiPage>): Promise<ApiPage> {
    await this.flush();
    while (this.state.kind === 'saving') await new Promise(resolve => setTimeout(resolve, 50));
    if (this.state.kind === 'conflict') throw new Error('First choose which version of this page to keep.');
    clearTimeout(this.#timer);
    this.#show({ kind: 'saving' });
    try {
      const page = await change(this.#revision).catch((problem: unknown) => this.#again(problem, change));
      this.#acknowledge(page, this.#savedText);
      return page;
    } finally {
      this.#settle();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Only the title was changed meanwhile, not the text: then the newer revision is as good. */
  #again(problem: unknown, change: (revision: number) => Promise<ApiPage>): Promise<ApiPage> {
    const theirs = problem instanceof ApiProblem ? problem.page : undefined;
    if (!theirs || withLineFeeds(theirs.markdown) !== this.#savedText) throw problem;
    return change(theirs.revision);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const latest = (this.#firstUnsavedAt ?? this.#parts.now()) + afterFirstKey - this.#parts.now();
    this.#timer = setTimeout(() => void this.flush(), Math.max(0, Math.min(afterLastKey, latest)));
  }

  async #send(keepalive: boolean): Promise<void> {
    const markdown = this.#text;
    const autosave = !this.#explicit;
    this.#explicit = false;
    this.#firstUnsavedAt = undefined;
    this.#show({ kind: 'saving' });
    try {
      const page = await this.#parts.send({ markdown, baseRevision: this.#revision, autosave, keepalive });
      this.#acknowledge(page, markdown);
      this.#settle();
    } catch (problem) {
      this.#fail(problem, markdown);
    }
  }

  #acknowledge(page: { revision: number }, markdown: string): void {
    this.#revision = page.revision;
    this.#savedText = markdown;
    this.#retryDelay = firstRetry;
    this.#unanswered = undefined;
    this.#parts.keepDraft(this.#text === markdown ? undefined : { markdown: this.#text, baseRevision: page.revision });
  }

  #settle(): void {
    if (this.#text === this.#savedText) {
      this.#firstUnsavedAt = undefined;
      this.#parts.keepDraft(undefined);
      this.#show({ kind: 'saved' });
    } else {
      this.#firstUnsavedAt ??= this.#parts.now();
      this.#show({ kind: 'unsaved' });
      this.#schedule();
    }
  }

  #fail(problem: unknown, sent: string): void {
    const reason = problem instanceof Error ? problem.message : 'The save failed.';
    if (problem instanceof ApiProblem && problem.status === 412 && problem.page) this.#stale(problem.page, sent);
    else if (mayPass(problem)) this.#retryLater(problem, sent, reason);
    else this.#show({ kind: 'refused', reason });
  }

  #retryLater(problem: unknown, sent: string, reason: string): void {
    this.#unanswered = sent;
    const asked = problem instanceof ApiProblem ? (problem.retryAfterSeconds ?? 0) * 1000 : 0;
    this.#show({ kind: 'waiting', reason });
    this.#timer = setTimeout(() => void this.flush(), Math.max(asked, this.#retryDelay));
    this.#retryDelay = Math.min(this.#retryDelay * 2, longestRetry);
  }

  /** A save whose answer was lost on the way comes back as stale against itself: that is no conflict. */
  #stale(theirs: ApiPage, sent: string): void {
    const text = withLineFeeds(theirs.markdown);
    if (text !== sent && text !== this.#unanswered) {
      this.#conflict(theirs);
    } else {
      this.#acknowledge(theirs, text);
      this.#settle();
    }
  }

  #conflict(theirs: ApiPage): void {
    clearTimeout(this.#timer);
    this.#show({ kind: 'conflict', theirs });
  }

  #show(state: SaveState): void {
    this.state = state;
    this.#parts.onState(state);
  }
}

function mayPass(problem: unknown): boolean {
  return problem instanceof NoConnection || (problem instanceof ApiProblem && (problem.status >= 500 || problem.status === 429));
}
