/** A reader's comment on a notebook or one of its pages: plain text, no account. */
export interface Comment {
  readonly id: string;
  readonly notebookId: string;
  /** Null for a comment on the notebook as a whole. */
  readonly pageId: string | null;
  /** Empty when the reader gave no name. */
  readonly author: string;
  readonly body: string;
  readonly createdAt: number;
}

export interface NumberedComment extends Comment {
  /** Later comments have higher numbers. */
  readonly number: number;
}
