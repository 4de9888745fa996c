import type { ApiPage } from '../../api/types.ts';
import { limits } from '../../limits.ts';
import { ApiProblem, NoConnection } from '../api/api-client.ts';
import { retryAfterMillis } from '../api/retry-after.ts';
import { withLineFeeds } from '../merge/line-feeds.ts';
import { AwaitedText } from './awaited-text.ts';
import { longestPause, RetryPauses } from './retry-pauses.ts';
import { isNotebookFull, isTemporary, isUnanswered, isWritingOff, reasonOf, requireSameText } from './save-problems.ts';
import { type Adopted, type AutosaveParts, type SaveState, type UnsavedText, waitsForRight } from './save-state.ts';
import { mergeSent, withSent } from './sent-texts.ts';

const afterLastKey = limits.autosaveAfterLastKeySeconds * 1000;
const afterFirstKey = limits.autosaveAfterFirstKeySeconds * 1000;

/**
 * Saves one page 2 s after the last key and at most 10 s after the first unsaved one. It sends one request at a time, each against the
 * revision the text was made from. A text counts as saved only when the server said so. What others wrote meanwhile is merged in if it
 * does not overlap; otherwise the person chooses.
 */
export class Autosave {
  state: SaveState = { kind: 'saved' };
  readonly awaited = new AwaitedText(() => this.#keepDraft());
  readonly #parts: AutosaveParts;
  #text: string;
  /** The server's text, as far as we know: the base of every merge. */
  #savedText: string;
  /** False for drafts that were stored without their base. */
  #baseKnown = true;
  #revision: number;
  #firstUnsavedAt: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #pauses = new RetryPauses();
  /** The server asked us not to retry before this time. */
  #notBefore = 0;
  #explicit = false;
  /** Texts sent against this revision that got no answer. At most one of them was saved; we don't know which. */
  #unanswered: readonly string[] = [];
  /** The newest version received while we were saving or held. */
  #newer: ApiPage | undefined;
  #held = false;
  /** Resolvers that wait for the next state change or for `release`. */
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

  /** True while closing the window would leave something that is not on the server. */
  get isUnsaved(): boolean {
    return !this.#isOnServer || this.state.kind === 'saving' || this.state.kind === 'conflict';
  }

  /** False while an unanswered text may have arrived: words that were sent and then deleted must not stay on the server. */
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

  /** Takes up text from a closed tab. It is restored if it was made from what the server has; else it is merged or becomes a conflict. */
  async adopt(draft: UnsavedText, theirs: ApiPage): Promise<Adopted> {
    const server = withLineFeeds(theirs.markdown);
    const { markdown, baseRevision, baseMarkdown, sent = [] } = draft;
    // It was sent against the revision that the server still has, so it may still arrive.
    const mayArrive = sent.length > 0 && theirs.revision <= baseRevision;
    if ((markdown === server && !mayArrive) || (markdown === baseMarkdown && sent.length === 0)) {
      this.#parts.keepDraft(undefined);
      return 'nothing';
    }
    // Makes a version of what it replaces: the person did not watch this save.
    this.#explicit = true;
    const base = baseRevision === theirs.revision ? server : baseMarkdown;
    this.#text = markdown;
    this.#revision = baseRevision;
    this.#baseKnown = base !== undefined;
    this.#savedText = base ?? server;
    this.#unanswered = sent;
    this.#keepDraft();
    // `theirs` may be a copy on this device, older than what the text was made from.
    if (theirs.revision <= baseRevision) {
      this.#settle();
      return 'restored';
    }
    return this.#reconcile(theirs);
  }

  /**
   * Merges the page as it was saved elsewhere: in another tab or on another machine.
   * @param isCurrent the server has nothing newer. Less than it acknowledged means that it was restored from a backup
   */
  receive(theirs: ApiPage, isCurrent = false): void {
    const hasLost = isCurrent && theirs.revision < this.#revision && this.state.kind === 'saved' && !this.#held;
    if (!hasLost && theirs.revision <= (this.#newer?.revision ?? this.#revision)) return;
    if (this.state.kind === 'saving' || this.#held) this.#newer = theirs;
    else if (this.state.kind === 'conflict' && theirs.revision <= this.state.theirs.revision) return;
    else if (this.state.kind === 'lost') return;
    else void this.#reconcile(theirs);
  }

  /** Keeps others' changes out of the text while an input method composes. */
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
    // An explicit save and the last moment of a window do not wait for `#notBefore`.
    const asked = (options.explicit ?? false) || (options.keepalive ?? false);
    if (this.state.kind === 'waiting' && !asked && this.#parts.now() < this.#notBefore) return;
    clearTimeout(this.#timer);
    if (this.#isOnServer) this.#settle();
    else await this.#send(options.keepalive ?? false);
  }

  /** The notebook holds less text than before, so a save it refused for lack of space may fit now. */
  retryIfFull(): void {
    if (this.state.kind === 'refused' && this.state.waitsForSpace) void this.flush();
  }

  /** Told whether the notebook, as it was read, takes this text. One that seems to and refuses it is asked less and less often. */
  noteAllowed(isAllowed: boolean): void {
    if (!isAllowed) this.#pauses.reset();
    else if (waitsForRight(this.state) && !this.state.triesAgain)
      this.#showFor(this.#nextPause(), { ...this.state, triesAgain: true });
  }

  /** Replaces their text, which the person has seen. It becomes a snapshot, because this save is not an automatic one. */
  async keepMine(): Promise<void> {
    if (this.state.kind === 'conflict') await this.#resolve(this.state.theirs, this.#text);
  }

  /** Makes one text that has everything from both, the overlapping parts twice; all of it when the merging code cannot be fetched. */
  async keepBoth(): Promise<void> {
    if (this.state.kind !== 'conflict') return;
    const merging = await this.#parts.loadMerging().catch(() => undefined);
    if (this.state.kind !== 'conflict') return;
    const { theirs } = this.state;
    const server = withLineFeeds(theirs.markdown);
    const both = merging?.keepBoth(this.#baseKnown ? this.#savedText : undefined, this.#text, server);
    await this.#resolve(theirs, both ?? `${this.#text}\n\n${server}`);
  }

  async #resolve(theirs: ApiPage, text: string): Promise<void> {
    this.#text = text;
    this.#rebaseOn(theirs);
    this.#show({ kind: 'unsaved' });
    await this.flush({ explicit: true });
  }

  /** Replaces my text with the server's, after a conflict or when a snapshot was restored. */
  replaceWith(page: { markdown: string; revision: number }): void {
    clearTimeout(this.#timer);
    this.#text = withLineFeeds(page.markdown);
    this.#rebaseOn(page);
    this.#settle();
  }

  /** Runs another change of the page (its title, which may be `theirs` by now) between two saves: it also moves the revision on. */
  async withRevision(change: (revision: number, theirs?: ApiPage) => Promise<ApiPage>): Promise<ApiPage> {
    await this.flush();
    await this.whenIdle();
    if (this.#isLost()) throw new Error('This page cannot be saved any more.');
    if (this.state.kind === 'conflict') throw new Error('First choose which version of this page to keep.');
    clearTimeout(this.#timer);
    this.#show({ kind: 'saving' });
    try {
      const again = (theirs: ApiPage) => change(theirs.revision, theirs);
      const page = await change(this.#revision).catch(problem => again(requireSameText(problem, this.#savedText)));
      this.#acknowledge(page, this.#savedText);
      return page;
    } finally {
      this.#settle();
    }
  }

  /** Saves everything. @returns false when some of it is still not saved */
  async finish(): Promise<boolean> {
    await this.whenIdle();
    await this.flush();
    await this.whenIdle();
    return !this.isUnsaved;
  }

  /** Waits until no save is on its way. */
  async whenIdle(): Promise<void> {
    while (this.state.kind === 'saving') await this.#nextChange();
  }

  /** Stops saving: the page or notebook is gone. The text stays, here and as a draft. */
  lose(what: 'page' | 'notebook'): void {
    clearTimeout(this.#timer);
    this.#show({ kind: 'lost', what });
  }

  /** Saves again: the notebook was not lost, its link was replaced and the new one is here. */
  recover(): void {
    if (!this.#isLost() && this.state.kind !== 'refused') return;
    this.state = { kind: 'unsaved' };
    this.#settle();
  }

  stop(): void {
    clearTimeout(this.#timer);
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
      // The save arrived, but its page was deleted afterwards: the words are only here.
      if (this.#isLost()) return;
      this.#acknowledge(page, markdown);
      this.#settle();
    } catch (problem) {
      // After a refusal we know that this text was not saved. An earlier one may have been.
      if (!isUnanswered(problem)) this.#unanswered = before;
      if (!this.#isLost()) await this.#fail(problem);
    }
  }

  #acknowledge(page: { revision: number }, markdown: string): void {
    const isShorter = markdown.length < this.#savedText.length;
    this.#revision = page.revision;
    this.#savedText = markdown;
    this.#baseKnown = true;
    this.#pauses.reset();
    this.#unanswered = [];
    if (this.#newer && this.#newer.revision <= page.revision) this.#newer = undefined;
    this.#keepDraft();
    if (isShorter) this.#parts.onSpaceFreed();
  }

  /** Makes their text the base of all further changes. */
  #rebaseOn(theirs: { markdown: string; revision: number }): void {
    this.#acknowledge(theirs, withLineFeeds(theirs.markdown));
  }

  #keepDraft(): void {
    const draft: UnsavedText = {
      markdown: this.awaited.putInto(this.#text),
      baseRevision: this.#revision,
      ...(this.#baseKnown ? { baseMarkdown: this.#savedText } : {}),
      ...(this.#unanswered.length === 0 ? {} : { sent: this.#unanswered }),
    };
    this.#parts.keepDraft(this.#baseKnown && this.#isOnServer && this.awaited.isEmpty ? undefined : draft);
  }

  #settle(): void {
    if (this.#isOnServer) {
      this.#firstUnsavedAt = undefined;
      if (this.awaited.isEmpty) this.#parts.keepDraft(undefined);
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
    this.#notBefore = this.#parts.now() + retryAfterMillis(problem);
    if (problem instanceof ApiProblem && problem.status === 412 && problem.page) await this.#reconcile(problem.page);
    else if (isTemporary(problem))
      this.#showFor(this.#nextPause(), { kind: 'waiting', offline: problem instanceof NoConnection, reason });
    // By time too: `retryIfFull` is called only for space freed in this browser, but another machine may free some.
    else if (isNotebookFull(problem)) this.#showFor(longestPause, { kind: 'refused', reason, waitsForSpace: true });
    else {
      this.#show({ kind: 'refused', reason, ...(isWritingOff(problem) ? { waitsForRight: true } : {}) });
      if (problem instanceof ApiProblem) this.#parts.onRefused(problem);
    }
  }

  /** Shows the state until the text is sent again. */
  #showFor(millis: number, state: SaveState): void {
    this.#show(state);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#notBefore = 0;
      void this.flush();
    }, millis);
  }

  #nextPause(): number {
    return this.#pauses.next(this.#notBefore - this.#parts.now());
  }

  /** Merges their text and mine from the same base. */
  async #reconcile(theirs: ApiPage): Promise<Adopted> {
    const server = withLineFeeds(theirs.markdown);
    clearTimeout(this.#timer);
    // A server restored from a backup has less than it acknowledged. Nobody deleted what it lacks.
    if (theirs.revision < this.#revision) this.#baseKnown = false;
    this.#keepDraft();
    // No merge is needed if nothing of mine is unsaved, if theirs is a text we sent whose answer was lost, or if only the title changed.
    if (this.#baseKnown && this.#isOnServer) this.#text = server;
    if ([this.#text, ...this.#unanswered, this.#baseKnown ? this.#savedText : undefined].includes(server)) {
      this.#rebaseOn(theirs);
      this.#settle();
      return this.#text === server ? 'nothing' : 'restored';
    }
    this.#show({ kind: 'saving' });
    const merged = await this.#merge(server);
    if (this.#isLost()) return 'conflict';
    const newer = this.#newer;
    if (newer && newer.revision > theirs.revision) {
      this.#newer = undefined;
      return this.#reconcile(newer);
    }
    if (merged === undefined) {
      this.#show({ kind: 'conflict', theirs });
      return 'conflict';
    }
    this.#text = merged;
    this.#rebaseOn(theirs);
    this.#settle();
    this.#parts.onMerged();
    return 'merged';
  }

  async #merge(theirs: string): Promise<string | undefined> {
    if (!this.#baseKnown) return undefined;
    const merging = await this.#parts.loadMerging().catch(() => undefined);
    while (this.#held) await this.#nextChange();
    if (!merging) return undefined;
    // `#text` is read only now: the person may have typed on while the code was loading.
    return mergeSent(merging, this.#savedText, this.#unanswered, this.#text, theirs);
  }

  #isLost(): boolean {
    return this.state.kind === 'lost';
  }

  #show(state: SaveState): void {
    // A late answer does not end the lost state; only `recover` does.
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
