/** A text field's content and selection. */
export interface FieldText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Replaces `from`–`to` by `insert`, then selects `start`–`end` of the new text. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  readonly start: number;
  readonly end: number;
}
