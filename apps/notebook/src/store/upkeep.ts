import type { Report, ReportSeen } from '../model/report.ts';
import type { TextEnding, TextKey } from '../model/text-tracker.ts';

/** The operations of the store for jobs and for the operator. */
export interface UpkeepRecords {
  /**
   * Takes the lease of a job's run in one statement: true for exactly one caller while the lease lasts. False when the run is already done,
   * another holder has it, or it must wait after a failure.
   */
  takeJobLease(lease: JobLease, now: number): Promise<boolean>;
  /** False when the lease belongs to another holder by now: the caller should stop. */
  extendJobLease(lease: JobLease): Promise<boolean>;
  /** Marks the run of `due` as done, so that nobody does it again. */
  finishJobRun(lease: JobLease): Promise<void>;
  /** Gives up a run that is not done; others may take it from `notBefore` on. */
  releaseJobLease(lease: JobLease, notBefore: number): Promise<void>;
  /** The last scheduled time whose run is done; 0: none. */
  findJobDone(name: string): Promise<number>;

  /**
   * Writes a mark and resolves when it is durable.
   * @throws DatabaseUnavailable when that fails, or there is hardly any space left for later writes
   */
  proveWrite(now: number): Promise<void>;
  /** Times stored under names, to be known after a restart. */
  findTimes(): Promise<ReadonlyMap<string, number>>;
  /** null: deletes it. */
  keepTime(name: string, at: number | null): Promise<void>;
  /** The time on the database machine's clock; undefined when that is our own clock. */
  databaseTime(): Promise<number | undefined>;
  /** Counts up to `most`: counting all notebooks of a large database blocks the event loop. */
  countNotebooks(most: number): Promise<number>;

  /** Records a text that blocked the event loop until the process was ended. Recorded twice with the same time, it counts once. */
  noteTextEnding(ending: TextEnding): Promise<void>;
  /** Texts that did so at least twice and have not changed since. */
  listUnsafeTexts(): Promise<TextKey[]>;

  /** Counts what a purge would delete now. */
  countPurgeable(due: PurgeDue, now: number): Promise<PurgeCounts>;
  /** Whether a notebook is due, locked or not. */
  hasDueNotebook(due: PurgeDue): Promise<boolean>;
  /**
   * Deletes up to `limit` notebooks that are due, with everything in them; their hashes keep the slugs taken until `slugFreeAt`. The
   * deleting statement checks the condition again: an expiry that was postponed meanwhile takes precedence. Returns zeros when nothing is
   * due, or another purge has all of it. A large notebook takes several calls and counts in the last of them.
   * @param from looks at nothing before this place
   */
  purgeNotebooks(due: PurgeDue, slugFreeAt: number, limit: number, from?: PurgePlace): Promise<Purged>;
  /** Deletes up to `limit` of each kind that is over: rate windows, freed slugs, old reports. @returns how many went */
  deleteExpired(due: PurgeDue, now: number, limit: number, from?: ExpiredPlace): Promise<DeletedExpired>;
  /** Deletes up to `limit` rate windows that ended before then. @returns how many went */
  deleteOldRateSlots(before: number, limit: number): Promise<number>;

  addReport(report: Report): Promise<'added' | 'gone'>;
  /** Newest first. */
  listReports(): Promise<ReportSeen[]>;
  /** Takes a notebook down, or (null) restores it, including its place in the text index. */
  takeDown(slug: string, takenDownAt: number | null): Promise<'changed' | 'unchanged' | 'missing'>;
}

export interface JobLease {
  readonly name: string;
  /** The scheduled time of the run. */
  readonly due: number;
  /** The caller: another word for each run. */
  readonly holder: string;
  readonly until: number;
}

export interface PurgeDue {
  /** Notebooks whose expiry is before this time. */
  readonly expiredBefore: number;
  /** Burn-after-read notebooks that were opened before this time. */
  readonly openedBefore: number;
  /** Reports that came before this time. */
  readonly reportedBefore: number;
}

/** How far a purge has come: what is due is taken in the order of these times. */
export interface PurgePlace {
  readonly expiresAt: number;
  readonly openedAt: number;
}

export interface Purged {
  readonly expired: number;
  readonly burned: number;
  /** Portions of a large notebook, which is closed to everybody but not yet gone. */
  readonly portions?: number;
  /** Where to go on. Absent where the next call finds its place by itself. */
  readonly reached?: PurgePlace;
}

export interface ExpiredRecords {
  readonly rateWindows: number;
  readonly freedSlugs: number;
  readonly reports: number;
}

/** How far the deletion of each kind has come, as a time. */
export type ExpiredPlace = ExpiredRecords;

export interface DeletedExpired extends ExpiredRecords {
  /** Where to go on. Absent where the next call finds its place by itself. */
  readonly reached?: ExpiredPlace;
}

export interface PurgeCounts extends ExpiredRecords {
  readonly expired: number;
  readonly burned: number;
}
