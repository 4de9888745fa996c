import type { ApiPage } from '../../api/types.ts';

export type SaveState =
  | { readonly kind: 'saved' }
  | { readonly kind: 'unsaved' }
  | { readonly kind: 'saving' }
  /** No answer, or an error that may pass; retried automatically. */
  | { readonly kind: 'waiting'; readonly offline: boolean; readonly reason: string }
  /** Another writer changed the same words meanwhile; the person decides. */
  | { readonly kind: 'conflict'; readonly theirs: ApiPage }
  | Refused
  /** The page or notebook is gone: the text exists only on this device. */
  | { readonly kind: 'lost'; readonly what: 'page' | 'notebook' };

/** Retrying helps only with `waitsForSpace`, once the notebook holds less text, and with `waitsForRight`, once it may be written again. */
interface Refused {
  readonly kind: 'refused';
  readonly reason: string;
  readonly waitsForSpace?: true;
  readonly waitsForRight?: true;
  /** It may be written again, as far as we know, so it is sent again after a pause. */
  readonly triesAgain?: true;
}

export const waitsForRight = (state: SaveState): state is Refused => state.kind === 'refused' && state.waitsForRight === true;

export interface SaveRequest {
  readonly markdown: string;
  readonly baseRevision: number;
  /** False for a save the person asked for: it always makes a snapshot of what it replaces. */
  readonly autosave: boolean;
  /** True while the window is closing. */
  readonly keepalive: boolean;
}

/** Text that the server has not acknowledged, with everything needed to merge it later. */
export interface UnsavedText {
  readonly markdown: string;
  /** The revision the text was made from. Its text is missing in drafts of older versions and where space was short. */
  readonly baseRevision: number;
  readonly baseMarkdown?: string | undefined;
  /** Texts that were sent and got no answer. */
  readonly sent?: readonly string[] | undefined;
}

/** The result of taking up a text that a closed tab left behind. */
export type Adopted = 'nothing' | 'restored' | 'merged' | 'conflict';

/** The part of the merging code that a saver needs. It is loaded separately from the editor. */
export interface Merging {
  readonly mergeTexts: (base: string, mine: string, theirs: string) => string | undefined;
  readonly keepBoth: (base: string | undefined, mine: string, theirs: string) => string;
  readonly moveCaret: (before: string, after: string, caret: number) => number;
}

export interface AutosaveParts {
  readonly send: (request: SaveRequest) => Promise<ApiPage>;
  /** Called with the text before it is sent, and with undefined once the server has acknowledged all of it. */
  readonly keepDraft: (draft: UnsavedText | undefined) => void;
  readonly onState: (state: SaveState) => void;
  /** Another writer's changes came into a text with unsaved ones. */
  readonly onMerged: () => void;
  /** The server refused this text and may never take it, because the notebook is gone or the link is dead. */
  readonly onRefused: (problem: unknown) => void;
  /** Called when the server has less text of this page than before. */
  readonly onSpaceFreed: () => void;
  readonly loadMerging: () => Promise<Merging>;
  readonly now: () => number;
}
