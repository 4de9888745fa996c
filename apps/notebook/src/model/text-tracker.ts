/** A text at one revision. */
export interface TextKey {
  readonly id: string;
  readonly revision: number;
}

/** A text that blocked the event loop until the process was ended. */
export interface TextEnding extends TextKey {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
}

/** Called at each change with the text that this thread works on; undefined: none. */
export type OnTextChange = (text: TextKey | undefined) => void;

/**
 * Knows which text this thread works on, so that a watchdog can say which one blocked it, and which texts have ended the process twice:
 * those are shown as they are, and nothing else is done with them.
 */
export class TextTracker {
  readonly #onChange: OnTextChange;
  #current: TextKey | undefined;
  #unsafe: ReadonlyMap<string, number> = new Map();

  constructor(onChange: OnTextChange = () => {}) {
    this.#onChange = onChange;
  }

  /** Runs synchronous work on a text. Work that it starts without waiting for is not watched. */
  on<Result>({ id, revision }: TextKey, work: () => Result): Result {
    const outer = this.#current;
    this.#note({ id, revision });
    try {
      return work();
    } finally {
      this.#note(outer);
    }
  }

  /** Whether this text ended the process twice. Another revision is another text. */
  isUnsafe({ id, revision }: TextKey): boolean {
    return this.#unsafe.size > 0 && this.#unsafe.get(id) === revision;
  }

  /** Replaces the texts known before. */
  setUnsafe(texts: readonly TextKey[]): void {
    this.#unsafe = new Map(texts.map(({ id, revision }) => [id, revision]));
  }

  #note(text: TextKey | undefined): void {
    this.#current = text;
    this.#onChange(text);
  }
}
