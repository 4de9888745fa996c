/** Why a reader tells the operator of a notebook. */
export const reportReasons = ['spam', 'phishing', 'malware', 'illegal', 'privacy', 'other'] as const;
export type ReportReason = (typeof reportReasons)[number];

/** The reason that a word stands for, however it is written. Undefined: it's none of ours. */
export function readReportReason(word: string): ReportReason | undefined {
  const known = word.toLowerCase();
  return reportReasons.find(reason => reason === known);
}

export interface Report {
  readonly id: string;
  readonly notebookId: string;
  /** As it was when the report came. */
  readonly slug: string;
  readonly reason: ReportReason;
  /** In the reader's words, after a reason that is none of ours; empty when nothing was said, and once the notebook is gone. */
  readonly detail: string;
  readonly createdAt: number;
}

/** A report together with what has become of its notebook. */
export interface ReportSeen extends Report {
  readonly state: 'there' | 'taken-down' | 'gone';
}
