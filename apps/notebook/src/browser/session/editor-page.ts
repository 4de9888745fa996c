import type { Autosave } from './autosave.ts';

export interface EditorPage {
  readonly id: string;
  title: string;
  readonly saver: Autosave;
}

export interface NewPage {
  /** Absent: the first heading, also when that changes. */
  readonly title?: string;
  readonly markdown: string;
  /** The file it is imported from, and what makes that file of the text again. */
  readonly file?: { readonly path: string; readonly patch: string };
}
