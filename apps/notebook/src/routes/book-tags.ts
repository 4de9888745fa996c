import { createHash, randomBytes } from 'node:crypto';

interface Sent {
  /** The number of incomplete books of this version. */
  readonly attempt: number;
  /** True once a complete book was sent under this attempt's tag. */
  readonly whole: boolean;
}

const maxRemembered = 10_000;

/**
 * ETags of books. A book is known to be complete only when it was sent: a page whose rendering got no turn is in it as plain text, and an
 * image that the store did not deliver is missing. So a tag is answered with 304 only after this process sent a complete book under it, and
 * after an incomplete book its tag is never used again.
 */
export class BookTags {
  readonly #sent = new Map<string, Sent>();
  readonly #process = randomBytes(4).toString('base64url');

  tagOf(book: readonly unknown[]): BookTag {
    const key = createHash('sha256').update(JSON.stringify(book)).digest('base64url').slice(0, 16);
    const { attempt, whole } = this.#sent.get(key) ?? { attempt: 0, whole: false };
    return {
      etag: `W/"${key}-${this.#process}-${attempt}"`,
      isWhole: whole,
      note: complete => {
        const now = this.#sent.get(key);
        if (complete) {
          if ((now?.attempt ?? 0) === attempt) this.#remember(key, { attempt, whole: true });
        } else this.#remember(key, { attempt: (now?.attempt ?? attempt) + 1, whole: false });
      },
    };
  }

  #remember(key: string, sent: Sent): void {
    this.#sent.delete(key);
    this.#sent.set(key, sent);
    if (this.#sent.size > maxRemembered) this.#sent.delete(this.#sent.keys().next().value!);
  }
}

export interface BookTag {
  readonly etag: string;
  /** Whether 304 may be answered. */
  readonly isWhole: boolean;
  /** Called once, when the book was sent to its end. */
  note(complete: boolean): void;
}
