import type { ApiPage } from '../../api/types.ts';
import type { NotebookApi } from '../api/notebook-api.ts';
import { Autosave } from './autosave.ts';
import type { AbandonedDraft } from './draft.ts';
import { Drafts, type FindOpenTabs } from './drafts.ts';
import { isGone } from './notebook-sync.ts';
import { savePage } from './save-page.ts';
import type { AutosaveParts, Merging, SaveRequest, UnsavedText } from './save-state.ts';
import type { SessionNote } from './session-notes.ts';

interface TextKeeperParts {
  readonly slug: string;
  /** This tab's name. */
  readonly tab: string;
  readonly api: () => NotebookApi;
  readonly titleOf: (pageId: string) => string;
  /** The first save of a page that was added offline; undefined for all others. */
  readonly create: (pageId: string, markdown: string) => Promise<ApiPage> | undefined;
  readonly onChange: () => void;
  readonly onSaved: (saved: ApiPage) => void;
  readonly onRefused: () => void;
  /** Called when the notebook holds less text than before. */
  readonly onSpaceFreed: () => void;
  readonly showNote: (note: SessionNote) => void;
}

/** Keeps the texts of a notebook's pages. Each page has a saver, and a draft on this device. */
export class TextKeeper {
  /** Loaded soon after the start. Until then others' changes are taken in without it. */
  merging: Merging | undefined;
  /** False when this device refused to keep unsaved text. */
  draftsKept = true;
  readonly #parts: TextKeeperParts;
  readonly #drafts: Drafts;
  #ended = false;
  #warnedNotKept = false;
  #changedAt = 0;

  constructor(parts: TextKeeperParts) {
    this.#parts = parts;
    this.#drafts = new Drafts(parts.slug, parts.tab, kept => this.#noteKept(kept));
  }

  /** @param idOf returns the page's current id */
  watch(page: ApiPage, idOf: () => string): Autosave {
    return new Autosave(page, this.#saverParts(idOf));
  }

  forget(pageId: string): void {
    this.#drafts.drop(pageId);
  }

  /** Moves a page's draft to its new id. */
  move(from: string, to: string): void {
    this.#drafts.move(from, to);
  }

  findAbandoned(findOpenTabs: FindOpenTabs): Promise<AbandonedDraft[]> {
    return this.#drafts.findAbandoned(findOpenTabs);
  }

  handOver(left: AbandonedDraft): Promise<void> {
    return this.#drafts.handOver(left);
  }

  /** The window may be gone in a moment. */
  keepAll(): void {
    this.#drafts.backUp();
    void this.#drafts.writeNow();
  }

  /** The notebook is deleted: nothing more is kept. */
  end(): void {
    this.#ended = true;
  }

  async loadMerging(): Promise<Merging> {
    this.merging ??= await import('../merge/merging.ts');
    return this.merging;
  }

  #saverParts(idOf: () => string): AutosaveParts {
    return {
      now: Date.now,
      onState: this.#parts.onChange,
      keepDraft: text => this.#keepDraft(idOf(), text),
      loadMerging: () => this.loadMerging(),
      onMerged: () => this.#parts.showNote({ name: 'merged', tone: 'good', text: 'Changes from elsewhere were merged in.' }),
      onRefused: this.#parts.onRefused,
      onSpaceFreed: this.#parts.onSpaceFreed,
      send: async request => {
        // Written at once: a tab killed now would leave an older draft than the server's text, which would look like another writer's.
        void this.#drafts.writeNow();
        const saved = await this.#send(idOf(), request);
        this.#parts.onSaved(saved);
        return saved;
      },
    };
  }

  /** Sends again with the new edit link if it was replaced while the save was on its way with the old one. */
  async #send(pageId: string, request: SaveRequest): Promise<ApiPage> {
    const created = this.#parts.create(pageId, request.markdown);
    if (created) return created;
    const api = this.#parts.api();
    try {
      return await savePage(api, pageId, request);
    } catch (problem) {
      const fresh = this.#parts.api();
      if (!isGone(problem) || fresh.editToken === api.editToken) throw problem;
      return savePage(fresh, pageId, request);
    }
  }

  #keepDraft(pageId: string, text: UnsavedText | undefined): void {
    if (this.#ended) return;
    if (!text) {
      this.#drafts.drop(pageId);
      return;
    }
    // A clock that is set back must not make the older of two copies look newer.
    this.#changedAt = Math.max(Date.now(), this.#changedAt + 1);
    this.#drafts.keep({ pageId, title: this.#parts.titleOf(pageId), changedAt: this.#changedAt, ...text });
  }

  #noteKept(kept: boolean): void {
    if (!kept && !this.#warnedNotKept) {
      this.#warnedNotKept = true;
      const text =
        'This browser keeps nothing on this device. Your text is sent as you write; do not close the window before “Saved”.';
      this.#parts.showNote({ name: 'storage', tone: 'warning', text });
    }
    if (kept === this.draftsKept) return;
    this.draftsKept = kept;
    this.#parts.onChange();
  }
}
