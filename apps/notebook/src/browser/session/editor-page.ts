import type { Autosave } from './autosave.ts';

export interface EditorPage {
  /** Changes once a page that was added offline is on the server. */
  id: string;
  /** The page's first id, which never changes: the key for rendered lists. */
  readonly key: string;
  title: string;
  readonly saver: Autosave;
  /** Added here without a network; the server does not have it yet. */
  isNew: boolean;
}

export interface NewPage {
  /** When absent, the page is titled by its first heading, also after that changes. */
  readonly title?: string;
  readonly markdown: string;
  /** The file it was imported from, and a patch that turns the text back into that file. */
  readonly file?: { readonly path: string; readonly patch: string };
}
