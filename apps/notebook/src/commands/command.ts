/** A command of `octavo`. */
export interface Command {
  /** As shown in the help. */
  readonly usage: string;
  readonly about: string;
  /**
   * @returns the exit code
   * @throws UsageError for arguments that it does not understand, any other error for a failure
   */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Prints one or more lines. */
  print(text: string): void;
  /** Prints to standard error. */
  complain(text: string): void;
}

/** The command was not understood: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command cannot go on, and the message says why: exit code 1, no stack. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}
