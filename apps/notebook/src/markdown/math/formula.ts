/** A formula as it was written. */
export interface Formula {
  readonly tex: string;
  /** On a line of its own, in the large form. */
  readonly display: boolean;
  /** With its signs: what is shown when the formula cannot be drawn. */
  readonly source: string;
}
