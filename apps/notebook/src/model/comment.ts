/** What a reader wrote under a notebook or one of its pages: plain text, no account. */
export interface Comment {
  readonly id: string;
  readonly notebookId: string;
  /** Absent for a comment on the notebook as a whole. */
  readonly pageId: string | null;
  /** Empty: the reader gave no name. */
  readonly author: string;
  readonly body: string;
  readonly createdAt: number;
}

export interface NumberedComment extends Comment {
  /** Later ones have a higher one. */
  readonly number: number;
}
