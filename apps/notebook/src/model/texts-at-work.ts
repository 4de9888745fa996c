/** A text as it was at one revision. */
export interface TextKey {
  readonly id: string;
  readonly revision: number;
}

/** A text that kept the event loop until the process was ended. */
export interface TextEnding extends TextKey {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
}

/** Told at each change which text this thread works on; undefined: on none. */
export type TellText = (text: TextKey | undefined) => void;

/**
 * Knows the texts that this thread works on, so that a watchdog can say which one kept it, and the texts that have ended the process
 * twice: those are shown as they are, and nothing else is done with them.
 */
export class TextsAtWork {
  readonly #tell: TellText;
  #current: TextKey | undefined;
  #unsafe: ReadonlyMap<string, number> = new Map();

  constructor(tell: TellText = () => {}) {
    this.#tell = tell;
  }

  /** Runs work on a text, in one piece: what `work` starts and does not wait for is not watched. */
  on<Result>({ id, revision }: TextKey, work: () => Result): Result {
    const outer = this.#current;
    this.#note({ id, revision });
    try {
      return work();
    } finally {
      this.#note(outer);
    }
  }

  /** Did it end the process twice? Another revision is another text. */
  isUnsafe({ id, revision }: TextKey): boolean {
    return this.#unsafe.size > 0 && this.#unsafe.get(id) === revision;
  }

  /** In place of those that were known before. */
  setUnsafe(texts: readonly TextKey[]): void {
    this.#unsafe = new Map(texts.map(({ id, revision }) => [id, revision]));
  }

  #note(text: TextKey | undefined): void {
    this.#current = text;
    this.#tell(text);
  }
}
