/** An access token that only its provider can read, with what it takes to ask about it again. */
export interface OpaqueToken {
  /** A hash of all of it and of its provider. */
  readonly name: string;
  readonly text: string;
  /** Whose it is, by id. */
  readonly provider: string;
  readonly subject: string;
  /** When the provider was asked, in milliseconds since 1970. */
  readonly askedAt: number;
}
