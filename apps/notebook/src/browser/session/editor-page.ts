import { pageName } from '../../model/page-name.ts';
import type { Autosave } from './autosave.ts';

export class EditorPage {
  /** Changes once a page that was added offline is on the server. */
  id: string;
  /** The page's first id, which never changes: the key for rendered lists. */
  readonly key: string;
  /** As the server has it: "Page 2" for a page without a title (model/page-name.ts). */
  title: string;
  readonly saver: Autosave;
  /** Added here without a network; the server does not have it yet. */
  isNew = false;

  constructor({ id, title }: { readonly id: string; readonly title: string }, saver: Autosave) {
    this.id = id;
    this.key = id;
    this.title = title;
    this.saver = saver;
  }

  /** The name that the writer sees in lists, notes and dialogs. */
  get name(): string {
    return pageName({ title: this.title, text: this.saver.text });
  }
}

export interface NewPage {
  /** When absent, the page is titled by its first heading, also after that changes. */
  readonly title?: string;
  readonly markdown: string;
  /** The file it was imported from, and a patch that turns the text back into that file. */
  readonly file?: { readonly path: string; readonly patch: string };
}
