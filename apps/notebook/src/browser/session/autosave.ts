import type { ApiPage } from '../../api/types.ts';
import { limits } from '../../limits.ts';
import { ApiProblem, NoConnection } from '../api/api-client.ts';
import { waitAskedMillis } from '../api/retry-after.ts';
import { withLineFeeds } from '../merge/line-feeds.ts';
import { isUnanswered, mayPass, reasonOf, waitsForRoom } from './save-problems.ts';
import type { Adopted, AutosaveParts, SaveState, UnsavedText } from './save-state.ts';
import { mergeSent, withSent } from './sent-texts.ts';

const afterLastKey = limits.autosaveAfterLastKeySeconds * 1000;
const afterFirstKey = limits.autosaveAfterFirstKeySeconds * 1000;
const firstRetry = 2_000;
const longestRetry = 60_000;

/**
 * Saves one page: 2 s after the last key, at most 10 s after the first unsaved one, one request at a time, each against the
 * revision it was made from. A text counts as saved only when the server said so. What others wrote meanwhile is merged in when it
 * does not overlap, and is otherwise the person's choice.
 */
export class Autosave {
  state: SaveState = { kind: 'saved' };
  readonly #parts: AutosaveParts;
  #text: string;
  /** What the server has, as far as we know: the base of every merge. */
  #savedText: string;
  /** False for drafts that came without it. */
  #baseKnown = true;
  #revision: number;
  #firstUnsavedAt: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retryDelay = firstRetry;
  /** The server asked to be left alone until then. */
  #notBefore = 0;
  #explicit = false;
  /** Sent against this revision, and nobody knows which of them arrived; one at the most. */
  #unanswered: readonly string[] = [];
  /** Came while we were busy. */
  #newer: ApiPage | undefined;
  #held = false;
  /** Told of the next change of state, and when the text is let go again. */
  readonly #waiting: (() => void)[] = [];

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
    return !this.#isOnServer || this.state.kind === 'saving' || this.state.kind === 'conflict';
  }

  /** Not where another text may have arrived: words that were sent and then deleted must not stay there. */
  get #isOnServer(): boolean {
    return this.#text === this.#savedText && this.#unanswered.length === 0;
  }

  /** Called with every change of the text. */
  change(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#keepDraft();
    this.#firstUnsavedAt ??= this.#parts.now();
    if (this.state.kind === 'saved' || this.state.kind === 'refused') this.#show({ kind: 'unsaved' });
    if (this.state.kind === 'unsaved') this.#schedule();
  }

  /** Text that was left behind by a closed tab. Taken up when it was made from what the server has; else merged, or a conflict. */
  async adopt(draft: UnsavedText, theirs: ApiPage): Promise<Adopted> {
    const server = withLineFeeds(theirs.markdown);
    const { markdown, baseRevision, baseMarkdown, sent = [] } = draft;
    // Sent against the revision that the server still has: it may arrive yet.
    const mayArrive = sent.length > 0 && theirs.revision <= baseRevision;
    if ((markdown === server && !mayArrive) || (markdown === baseMarkdown && sent.length === 0)) {
      this.#parts.keepDraft(undefined);
      return 'nothing';
    }
    // What it replaces becomes a version: the person did not watch this save.
    this.#explicit = true;
    const base = baseRevision === theirs.revision ? server : baseMarkdown;
    this.#text = markdown;
    this.#revision = baseRevision;
    this.#baseKnown = base !== undefined;
    this.#savedText = base ?? server;
    this.#unanswered = sent;
    this.#keepDraft();
    // A copy of the page on this device may be older than what the text was made from.
    if (theirs.revision <= baseRevision) {
      this.#settle();
      return 'restored';
    }
    return this.#meet(theirs);
  }

  /** The page as somebody else saved it: in another tab, on another machine. */
  receive(theirs: ApiPage): void {
    if (theirs.revision <= (this.#newer?.revision ?? this.#revision)) return;
    if (this.state.kind === 'saving' || this.#held) this.#newer = theirs;
    else if (this.state.kind === 'conflict' && theirs.revision <= this.state.theirs.revision) return;
    else if (this.state.kind === 'lost') return;
    else void this.#meet(theirs);
  }

  /** While an input method composes, nothing may change the text under it. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.#tellChanged();
    if (this.state.kind !== 'saving') this.#takeNewer();
  }

  /** Saves now. */
  async flush(options: { explicit?: boolean; keepalive?: boolean } = {}): Promise<void> {
    this.#explicit ||= options.explicit ?? false;
    if (['saving', 'conflict', 'lost'].includes(this.state.kind)) return;
    // What the person asks for, and the last moment of a window, are tried all the same.
    const asked = (options.explicit ?? false) || (options.keepalive ?? false);
    if (this.state.kind === 'waiting' && !asked && this.#parts.now() < this.#notBefore) return;
    clearTimeout(this.#timer);
    if (this.#isOnServer) this.#settle();
    else await this.#send(options.keepalive ?? false);
  }

  /** The notebook holds less text than before: what found no place may find one now. */
  roomCame(): void {
    if (this.state.kind === 'refused' && this.state.waitsForRoom) void this.flush();
  }

  /** Their text was seen and is to be replaced. It becomes a snapshot, because this save is not an automatic one. */
  async keepMine(): Promise<void> {
    if (this.state.kind === 'conflict') await this.#resolve(this.state.theirs, this.#text);
  }

  /** One text with everything of both, the overlapping parts twice. */
  async keepBoth(): Promise<void> {
    if (this.state.kind !== 'conflict') return;
    const { keepBoth } = await this.#parts.loadMerging();
    if (this.state.kind !== 'conflict') return;
    const { theirs } = this.state;
    const base = this.#baseKnown ? this.#savedText : undefined;
    await this.#resolve(theirs, keepBoth(base, this.#text, withLineFeeds(theirs.markdown)));
  }

  async #resolve(theirs: ApiPage, text: string): Promise<void> {
    this.#text = text;
    this.#standOn(theirs);
    this.#show({ kind: 'unsaved' });
    await this.flush({ explicit: true });
  }

  /** The server's text replaces mine: after a conflict, a restored snapshot. */
  take(page: { markdown: string; revision: number }): void {
    clearTimeout(this.#timer);
    this.#text = withLineFeeds(page.markdown);
    this.#standOn(page);
    this.#settle();
  }

  /** Another change of the same page (its title) moves the revision on: it takes its turn between two saves. */
  async withRevision(change: (revision: number) => Promise<ApiPage>): Promise<ApiPage> {
    await this.flush();
    await this.rest();
    if (this.#isLost()) throw new Error('This page cannot be saved any more.');
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

  /** Saves all there is. @returns false when something of it is not saved now */
  async finish(): Promise<boolean> {
    await this.rest();
    await this.flush();
    await this.rest();
    return !this.isUnsaved;
  }

  /** Until nothing is on its way any more. */
  async rest(): Promise<void> {
    while (this.state.kind === 'saving') await this.#nextChange();
  }

  /** There is nothing to save to any more. The text stays, here and as a draft. */
  lose(what: 'page' | 'notebook'): void {
    clearTimeout(this.#timer);
    this.#show({ kind: 'lost', what });
  }

  /** It was not lost after all: the link was replaced, and the new one is here. */
  recover(): void {
    if (!this.#isLost() && this.state.kind !== 'refused') return;
    this.state = { kind: 'unsaved' };
    this.#settle();
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
    const before = this.#unanswered;
    this.#unanswered = withSent(before, markdown);
    this.#keepDraft();
    this.#show({ kind: 'saving' });
    try {
      const page = await this.#parts.send({ markdown, baseRevision: this.#revision, autosave, keepalive });
      // It arrived, and its page went after it: the words are only here.
      if (this.#isLost()) return;
      this.#acknowledge(page, markdown);
      this.#settle();
    } catch (problem) {
      // A refusal is an answer: this text did not arrive. One before it may have.
      if (!isUnanswered(problem)) this.#unanswered = before;
      if (!this.#isLost()) await this.#fail(problem);
    }
  }

  #acknowledge(page: { revision: number }, markdown: string): void {
    const isShorter = markdown.length < this.#savedText.length;
    this.#revision = page.revision;
    this.#savedText = markdown;
    this.#baseKnown = true;
    this.#retryDelay = firstRetry;
    this.#unanswered = [];
    if (this.#newer && this.#newer.revision <= page.revision) this.#newer = undefined;
    this.#keepDraft();
    if (isShorter) this.#parts.onRoom();
  }

  /** From now on changes are made against this text of theirs. */
  #standOn(theirs: { markdown: string; revision: number }): void {
    this.#acknowledge(theirs, withLineFeeds(theirs.markdown));
  }

  #keepDraft(): void {
    const draft: UnsavedText = {
      markdown: this.#text,
      baseRevision: this.#revision,
      ...(this.#baseKnown ? { baseMarkdown: this.#savedText } : {}),
      ...(this.#unanswered.length === 0 ? {} : { sent: this.#unanswered }),
    };
    this.#parts.keepDraft(this.#baseKnown && this.#isOnServer ? undefined : draft);
  }

  #settle(): void {
    if (this.#isOnServer) {
      this.#firstUnsavedAt = undefined;
      this.#parts.keepDraft(undefined);
      this.#show({ kind: 'saved' });
    } else {
      this.#firstUnsavedAt ??= this.#parts.now();
      this.#show({ kind: 'unsaved' });
      this.#schedule();
    }
    if (!this.#held) this.#takeNewer();
  }

  #takeNewer(): void {
    const newer = this.#newer;
    this.#newer = undefined;
    if (newer) this.receive(newer);
  }

  async #fail(problem: unknown): Promise<void> {
    const reason = reasonOf(problem, this.#parts.now());
    if (problem instanceof ApiProblem && problem.status === 412 && problem.page) await this.#meet(problem.page);
    else if (mayPass(problem)) this.#retryLater(problem, reason);
    else if (waitsForRoom(problem)) this.#waitForRoom(reason);
    else {
      this.#show({ kind: 'refused', reason });
      if (problem instanceof ApiProblem) this.#parts.onRefused(problem);
    }
  }

  /** `roomCame` hears of what this browser sees; another machine may make room too. */
  #waitForRoom(reason: string): void {
    this.#show({ kind: 'refused', reason, waitsForRoom: true });
    this.#flushAfter(longestRetry);
  }

  #retryLater(problem: unknown, reason: string): void {
    const asked = waitAskedMillis(problem);
    this.#notBefore = this.#parts.now() + asked;
    this.#show({ kind: 'waiting', offline: problem instanceof NoConnection, reason });
    this.#flushAfter(Math.max(asked, this.#retryDelay));
    this.#retryDelay = Math.min(this.#retryDelay * 2, longestRetry);
  }

  #flushAfter(millis: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#notBefore = 0;
      void this.flush();
    }, millis);
  }

  /** Their text and mine, from the same base. */
  async #meet(theirs: ApiPage): Promise<Adopted> {
    const server = withLineFeeds(theirs.markdown);
    clearTimeout(this.#timer);
    // Nothing of mine is unsaved; or it is the text we sent, whose answer was lost on the way; or only the title was changed.
    if (this.#baseKnown && this.#isOnServer) this.#text = server;
    if ([this.#text, ...this.#unanswered, this.#baseKnown ? this.#savedText : undefined].includes(server)) {
      this.#standOn(theirs);
      this.#settle();
      return this.#text === server ? 'nothing' : 'restored';
    }
    this.#show({ kind: 'saving' });
    const merged = await this.#merge(server);
    if (this.#isLost()) return 'conflict';
    const newer = this.#newer;
    if (newer && newer.revision > theirs.revision) {
      this.#newer = undefined;
      return this.#meet(newer);
    }
    if (merged === undefined) {
      this.#show({ kind: 'conflict', theirs });
      return 'conflict';
    }
    this.#text = merged;
    this.#standOn(theirs);
    this.#settle();
    this.#parts.onMerged();
    return 'merged';
  }

  async #merge(theirs: string): Promise<string | undefined> {
    if (!this.#baseKnown) return undefined;
    const merging = await this.#parts.loadMerging().catch(() => undefined);
    while (this.#held) await this.#nextChange();
    if (!merging) return undefined;
    // Read now: the person went on typing while the code was fetched.
    return mergeSent(merging, this.#savedText, this.#unanswered, this.#text, theirs);
  }

  #isLost(): boolean {
    return this.state.kind === 'lost';
  }

  #show(state: SaveState): void {
    // Whatever an answer says that was on its way; `recover` alone ends it.
    if (this.#isLost() && state.kind !== 'lost') return;
    this.state = state;
    this.#tellChanged();
    this.#parts.onState(state);
  }

  #tellChanged(): void {
    for (const go of this.#waiting.splice(0)) go();
  }

  #nextChange(): Promise<void> {
    return new Promise(resolve => this.#waiting.push(resolve));
  }
}
