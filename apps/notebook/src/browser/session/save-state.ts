import type { ApiPage } from '../../api/types.ts';

export type SaveState =
  | { readonly kind: 'saved' }
  | { readonly kind: 'unsaved' }
  | { readonly kind: 'saving' }
  /** No answer, or one that may be better next time; tried again by itself. */
  | { readonly kind: 'waiting'; readonly offline: boolean; readonly reason: string }
  /** Somebody changed the same words in between; the person decides. */
  | { readonly kind: 'conflict'; readonly theirs: ApiPage }
  /** Trying again would not help; with `waitsForRoom` it will, once the notebook holds less text. */
  | { readonly kind: 'refused'; readonly reason: string; readonly waitsForRoom?: true }
  /** There is nothing left to save to: the text lives on this device only. */
  | { readonly kind: 'lost'; readonly what: 'page' | 'notebook' };

export interface SaveRequest {
  readonly markdown: string;
  readonly baseRevision: number;
  /** False for a save the person asked for: it always makes a snapshot of what it replaces. */
  readonly autosave: boolean;
  /** True while the page is going away. */
  readonly keepalive: boolean;
}

/** Text that the server has not acknowledged, with all that is needed to merge it later. */
export interface UnsavedText {
  readonly markdown: string;
  /** The revision the text was made from, and what it said; unknown in drafts of older versions and where space was short. */
  readonly baseRevision: number;
  readonly baseMarkdown?: string | undefined;
  /** Sent, and nobody knows which of them arrived. */
  readonly sent?: readonly string[] | undefined;
}

/** What became of a text that a closed tab left behind. */
export type Adopted = 'nothing' | 'restored' | 'merged' | 'conflict';

/** The part of the merging code that a saver needs; it is fetched when somebody else's text meets ours. */
export interface Merging {
  readonly mergeTexts: (base: string, mine: string, theirs: string) => string | undefined;
  readonly keepBoth: (base: string | undefined, mine: string, theirs: string) => string;
  readonly moveCaret: (before: string, after: string, caret: number) => number;
}

export interface AutosaveParts {
  readonly send: (request: SaveRequest) => Promise<ApiPage>;
  /** Called before the network is, with the text; and with undefined once the server has acknowledged all of it. */
  readonly keepDraft: (draft: UnsavedText | undefined) => void;
  readonly onState: (state: SaveState) => void;
  /** Somebody else's changes came into a text with unsaved ones. */
  readonly onMerged: () => void;
  /** The server will not take this text and may never: nobody is there, or the link is dead. */
  readonly onRefused: (problem: unknown) => void;
  /** The server has less text of this page than before. */
  readonly onRoom: () => void;
  readonly loadMerging: () => Promise<Merging>;
  readonly now: () => number;
}
