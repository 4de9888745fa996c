import { editTokenMatches } from './edit-token.ts';
import { isExpired } from './expiry.ts';
import type { Notebook } from './notebook.ts';

/**
 * Who may write. The constructors are private: an `Owner` exists only where an edit token was compared, a `Visitor` only where open editing
 * was found to be on, so a forgotten check does not compile. Stores check the same facts again inside the write statement: a token that was
 * rotated, or a setting that was changed in between, takes effect.
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

/**
 * What let a person without the edit token see a notebook, after `decideAccess`. The store checks inside the write statement that it still
 * does: a write that was under way when the owner closed the notebook must not land after the owner was told.
 */
export class Admission {
  readonly #passwordHash: string | null;
  readonly #readerHash: string | null;

  constructor({ passwordHash, readerHash }: Pick<Notebook, 'passwordHash' | 'readerHash'>) {
    this.#passwordHash = passwordHash;
    this.#readerHash = readerHash;
  }

  isStillValid(notebook: Notebook, now: number): boolean {
    if (notebook.visibility === 'private' || isExpired(notebook.expiresAt, now)) return false;
    if (notebook.burnAfterRead) return notebook.openedAt !== null && notebook.readerHash === this.#readerHash;
    return notebook.passwordHash === null || notebook.passwordHash === this.#passwordHash;
  }
}

/**
 * A person with the view link of a notebook whose owner switched open editing on. May change content only, never delete or change settings.
 */
export class Visitor {
  readonly kind = 'visitor';
  readonly notebookId: string;
  readonly admission: Admission;

  private constructor(notebook: Notebook) {
    this.notebookId = notebook.id;
    this.admission = new Admission(notebook);
  }

  static check(notebook: Notebook): Visitor | undefined {
    return notebook.openEditing ? new Visitor(notebook) : undefined;
  }
}

export type Writer = Owner | Visitor;
