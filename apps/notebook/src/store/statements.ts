import type { Kysely } from 'kysely';
import { type CommentStatements, commentStatements } from './comment-statements.ts';
import type { Engine } from './engine.ts';
import { type FinishedStatements, finishedStatements } from './finished-statements.ts';
import { type ImageStatements, imageStatements } from './image-statements.ts';
import { type JobStatements, jobStatements } from './job-statements.ts';
import { type KeptStatements, keptStatements } from './kept-statements.ts';
import { type NotebookStatements, notebookStatements } from './notebook-statements.ts';
import { type ObjectDeletionStatements, objectDeletionStatements } from './object-deletion-statements.ts';
import { type PageStatements, pageStatements } from './page-statements.ts';
import { atOnceStatement } from './postgres-save.ts';
import { type PurgeStatements, purgeStatements } from './purge-statements.ts';
import { type QueueStatements, queueStatements } from './queue-statements.ts';
import { type ReportStatements, reportStatements } from './report-statements.ts';
import { type SaveStatements, saveStatements } from './save-statements.ts';
import type { SearchIndex } from './search-index.ts';
import { type SnapshotStatements, snapshotStatements } from './snapshot-statements.ts';
import type { Tables } from './tables.ts';
import { type TextEndingStatements, textEndingStatements } from './text-ending-statements.ts';
import { type TimeStatements, timeStatements } from './time-statements.ts';

/** Everything the store says to an engine, compiled once for its dialect. */
export interface Statements {
  readonly builder: Kysely<Tables>;
  readonly budget: Budget;
  readonly search: SearchIndex;
  readonly notebooks: NotebookStatements;
  readonly pages: PageStatements;
  readonly saves: SaveStatements;
  /** PostgreSQL's save, which SQLite has no function for. */
  readonly atOnce: ReturnType<typeof atOnceStatement>;
  readonly snapshots: SnapshotStatements;
  readonly comments: CommentStatements;
  readonly images: ImageStatements;
  readonly deletions: ObjectDeletionStatements;
  readonly queue: QueueStatements;
  readonly kept: KeptStatements;
  readonly finished: FinishedStatements;
  readonly jobs: JobStatements;
  readonly purge: PurgeStatements;
  readonly reports: ReportStatements;
  readonly times: TimeStatements;
  readonly textEndings: TextEndingStatements;
}

/** What this server lets a notebook hold. */
export interface Budget {
  /** UTF-8 bytes of the markdown of all pages together. */
  readonly maxNotebookBytes: number;
}

export function compileStatements({ name, builder, search }: Engine, budget: Budget): Statements {
  return {
    builder,
    budget,
    search,
    notebooks: notebookStatements(builder, name),
    pages: pageStatements(builder),
    saves: saveStatements(builder, name),
    atOnce: atOnceStatement(builder),
    snapshots: snapshotStatements(builder, name),
    comments: commentStatements(builder),
    images: imageStatements(builder, name),
    deletions: objectDeletionStatements(builder, name),
    queue: queueStatements(builder, name),
    kept: keptStatements(builder, name),
    finished: finishedStatements(builder, name),
    jobs: jobStatements(builder),
    purge: purgeStatements(builder, name),
    reports: reportStatements(builder),
    times: timeStatements(builder),
    textEndings: textEndingStatements(builder, name),
  };
}
