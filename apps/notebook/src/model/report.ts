/** Why a reader reports a notebook to the operator. */
export const reportReasons = ['spam', 'phishing', 'malware', 'illegal', 'privacy', 'other'] as const;
export type ReportReason = (typeof reportReasons)[number];

/** The reason that a word names, in upper or lower case. Undefined when it names none of ours. */
export function readReportReason(word: string): ReportReason | undefined {
  const known = word.toLowerCase();
  return reportReasons.find(reason => reason === known);
}

export interface Report {
  readonly id: string;
  readonly notebookId: string;
  /** The slug at the time of the report. */
  readonly slug: string;
  readonly reason: ReportReason;
  /** In the reader's own words, after a reason that is none of ours; empty when there are none, and once the notebook is gone. */
  readonly detail: string;
  readonly createdAt: number;
}

/** A report with the current state of its notebook. */
export interface ReportSeen extends Report {
  readonly state: 'there' | 'taken-down' | 'gone';
}
