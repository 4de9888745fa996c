/** One word of the `octavo` command. */
export interface Command {
  /** As the help shows it. */
  readonly usage: string;
  readonly about: string;
  /**
   * Answers the exit code.
   * @throws WrongUsage for arguments it does not understand, anything else for what went wrong
   */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** One line, or several. */
  print(text: string): void;
  /** To the place where errors go. */
  complain(text: string): void;
}

/** The command was not understood: exit code 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** Something is in the way, and the message says what: exit code 1, no stack. */
export class CannotDo extends Error {
  override readonly name = 'CannotDo';
}
