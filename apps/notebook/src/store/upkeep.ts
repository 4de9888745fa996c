import type { Report, ReportSeen } from '../model/report.ts';
import type { TextEnding, TextKey } from '../model/texts-at-work.ts';

/** What jobs and the operator ask of the store. */
export interface UpkeepRecords {
  /**
   * Takes the lease of a job's run, in one statement: true for exactly one caller while it lasts. False when the run is done
   * already, or another holds it, or a failed one is to wait.
   */
  takeJobLease(lease: JobLease, now: number): Promise<boolean>;
  /** False when the lease is somebody else's by now: whoever asks should stop. */
  extendJobLease(lease: JobLease): Promise<boolean>;
  /** The run of `due` is done, and nobody does it again. */
  finishJobRun(lease: JobLease): Promise<void>;
  /** Gives a run back undone; others may take it from `notBefore` on. */
  releaseJobLease(lease: JobLease, notBefore: number): Promise<void>;
  /** The last time of the schedule whose run is done; 0: none. */
  findJobDone(name: string): Promise<number>;

  /**
   * Writes a mark and resolves when it is durable.
   * @throws DatabaseUnavailable when that cannot be done, or there is hardly any room left for what comes next
   */
  proveWrite(now: number): Promise<void>;
  /** Times kept under names, to be known after a restart. */
  findTimes(): Promise<ReadonlyMap<string, number>>;
  /** null: forgets it. */
  keepTime(name: string, at: number | null): Promise<void>;
  /** What the clock of the database's own machine says; undefined where it is the same clock as ours. */
  databaseTime(): Promise<number | undefined>;
  /** Up to `most`: to count all of a large world holds the event loop. */
  countNotebooks(most: number): Promise<number>;

  /** A text kept the event loop until the process was ended. Told twice with the same time, it counts once. */
  noteTextEnding(ending: TextEnding): Promise<void>;
  /** Texts that did it at least twice, and have not changed since. */
  listUnsafeTexts(): Promise<TextKey[]>;

  /** What a purge of this moment would take. */
  countPurgeable(due: PurgeDue, now: number): Promise<PurgeCounts>;
  /**
   * Deletes up to `limit` notebooks that are due, with everything in them; their slugs stay taken by their hashes until
   * `slugFreeAt`. The deleting statement looks at the condition again: an expiry that was postponed meanwhile wins. Nothing due, or
   * all of it in the hands of another purge: zeros. A large one takes several calls, and counts with the last of them.
   */
  purgeNotebooks(due: PurgeDue, slugFreeAt: number, limit: number): Promise<Purged>;
  /** Forgets up to `limit` of each that are over: rate windows, freed slugs, old reports. Answers what went. */
  deleteExpired(due: PurgeDue, now: number, limit: number): Promise<DeletedExpired>;

  addReport(report: Report): Promise<void>;
  /** Newest first. */
  listReports(): Promise<ReportSeen[]>;
  /** Takes a notebook down, or (null) puts it back, text index and all. */
  takeDown(slug: string, takenDownAt: number | null): Promise<'changed' | 'unchanged' | 'missing'>;
}

export interface JobLease {
  readonly name: string;
  /** The time of the schedule that the run is for. */
  readonly due: number;
  /** Who asks: another word for each run. */
  readonly holder: string;
  readonly until: number;
}

export interface PurgeDue {
  /** Notebooks whose expiry lies before it. */
  readonly expiredBefore: number;
  /** Burn-after-read notebooks that were opened before it. */
  readonly openedBefore: number;
  /** Reports that came before it. */
  readonly reportedBefore: number;
}

export interface Purged {
  readonly expired: number;
  readonly burned: number;
  /** Of a large notebook, which is closed to everybody and not gone yet. */
  readonly portions?: number;
}

export interface DeletedExpired {
  readonly rateWindows: number;
  readonly freedSlugs: number;
  readonly reports: number;
}

export interface PurgeCounts extends DeletedExpired {
  readonly expired: number;
  readonly burned: number;
}
