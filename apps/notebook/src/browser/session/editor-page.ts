import type { Autosave } from './autosave.ts';

export interface EditorPage {
  /** Becomes another once a page that was added offline is on the server. */
  id: string;
  /** The id that it had first: for lists that are drawn. */
  readonly key: string;
  title: string;
  readonly saver: Autosave;
  /** Added here without a network; the server does not have it yet. */
  isNew: boolean;
}

export interface NewPage {
  /** Absent: the first heading, also when that changes. */
  readonly title?: string;
  readonly markdown: string;
  /** The file it is imported from, and what makes that file of the text again. */
  readonly file?: { readonly path: string; readonly patch: string };
}
