/** An access token that only its provider can read, with what is needed to ask about it again. */
export interface OpaqueToken {
  /** A hash of the whole token and its provider. */
  readonly name: string;
  readonly text: string;
  /** The provider's id. */
  readonly provider: string;
  readonly subject: string;
  /** When the provider was asked, in milliseconds since 1970. */
  readonly askedAt: number;
}
