import { editTokenMatches } from './edit-token.ts';
import type { Notebook } from './notebook.ts';

/**
 * Who may write. The constructors are private: an `Owner` exists only where an edit token was compared, a `Visitor` only where
 * open editing was found on, so a forgotten check does not compile. Stores look at the same facts again inside the write
 * statement: a token rotated or a setting changed in between wins.
 */
export class Owner {
  readonly kind = 'owner';
  readonly notebookId: string;
  readonly editTokenHash: string;

  private constructor(notebook: Notebook) {
    this.notebookId = notebook.id;
    this.editTokenHash = notebook.editTokenHash;
  }

  static check(notebook: Notebook, editToken: string): Owner | undefined {
    return editTokenMatches(editToken, notebook.editTokenHash) ? new Owner(notebook) : undefined;
  }
}

/** A person with the view link of a notebook whose owner switched open editing on. Content only, never a deletion or a setting. */
export class Visitor {
  readonly kind = 'visitor';
  readonly notebookId: string;

  private constructor(notebook: Notebook) {
    this.notebookId = notebook.id;
  }

  static check(notebook: Notebook): Visitor | undefined {
    return notebook.openEditing ? new Visitor(notebook) : undefined;
  }
}

export type Writer = Owner | Visitor;
