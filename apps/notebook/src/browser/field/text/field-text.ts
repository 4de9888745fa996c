/** A text field's content with its selection. */
export interface FieldText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Replace `from`–`to` by `insert`, then select `start`–`end` of the new text. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  readonly start: number;
  readonly end: number;
}
