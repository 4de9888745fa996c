/** A formula as written. */
export interface Formula {
  readonly tex: string;
  /** True for a formula on its own line, in display style. */
  readonly display: boolean;
  /** The source with its `$` signs, shown when the formula cannot be drawn. */
  readonly source: string;
}
