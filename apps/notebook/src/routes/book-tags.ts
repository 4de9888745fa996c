import { createHash, randomBytes } from 'node:crypto';

interface Sent {
  /** Counts the books of this version that lacked something. */
  readonly attempt: number;
  /** Sent with everything in it, under the tag of this attempt. */
  readonly whole: boolean;
}

const mostRemembered = 10_000;

/**
 * ETags of books. A book is known to be whole only when it is sent: a page that had no turn stands in it as plain text, an image that
 * the store did not give is missing. So a tag is answered with 304 only after this process sent a whole book under it, and what lacked
 * something is never sent under the same tag again.
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
    if (this.#sent.size > mostRemembered) this.#sent.delete(this.#sent.keys().next().value!);
  }
}

export interface BookTag {
  readonly etag: string;
  /** Whether 304 may be answered. */
  readonly isWhole: boolean;
  /** Told once, when the book was sent to its end. */
  note(complete: boolean): void;
}
