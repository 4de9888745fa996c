import type { Kysely } from 'kysely';
import { type CommentStatements, commentStatements } from './comments/comment-statements.ts';
import type { Engine } from './engine.ts';
import { type ImageStatements, imageStatements } from './images/image-statements.ts';
import { type ObjectDeletionStatements, objectDeletionStatements } from './images/object-deletion-statements.ts';
import { type CardStatements, cardStatements } from './kept/card-statements.ts';
import { type FinishedStatements, finishedStatements } from './kept/finished-statements.ts';
import { type KeptStatements, keptStatements } from './kept/kept-statements.ts';
import { type NotebookStatements, notebookStatements } from './notebooks/notebook-statements.ts';
import { type PageStatements, pageStatements } from './pages/page-statements.ts';
import { saveTogether } from './pages/postgres-save.ts';
import { type SaveStatements, saveStatements } from './pages/save-statements.ts';
import { type SnapshotStatements, snapshotStatements } from './pages/snapshot-statements.ts';
import { type QueueStatements, queueStatements } from './search/queue-statements.ts';
import type { SearchIndex } from './search/search-index.ts';
import type { Tables } from './tables.ts';
import { type JobStatements, jobStatements } from './upkeep/job-statements.ts';
import { type PurgeStatements, purgeStatements } from './upkeep/purge-statements.ts';
import { type ReportStatements, reportStatements } from './upkeep/report-statements.ts';
import { type SizeStatements, sizeStatements } from './upkeep/size-statements.ts';
import { type TextEndingStatements, textEndingStatements } from './upkeep/text-ending-statements.ts';
import { type TimeStatements, timeStatements } from './upkeep/time-statements.ts';

/** Every statement of the store, compiled once for its dialect. */
export interface Statements {
  readonly builder: Kysely<Tables>;
  readonly budget: Budget;
  readonly search: SearchIndex;
  readonly notebooks: NotebookStatements;
  readonly pages: PageStatements;
  readonly saves: SaveStatements;
  /** Whole saves by the database's function, if it has one. */
  readonly together: ReturnType<typeof saveTogether>;
  readonly snapshots: SnapshotStatements;
  readonly comments: CommentStatements;
  readonly images: ImageStatements;
  readonly deletions: ObjectDeletionStatements;
  readonly queue: QueueStatements;
  readonly kept: KeptStatements;
  readonly finished: FinishedStatements;
  readonly cards: CardStatements;
  readonly jobs: JobStatements;
  readonly purge: PurgeStatements;
  readonly reports: ReportStatements;
  readonly sizes: SizeStatements;
  readonly times: TimeStatements;
  readonly textEndings: TextEndingStatements;
}

/** This server's limits for a notebook. */
export interface Budget {
  /** The limit for the markdown of all pages together, in UTF-8 bytes. */
  readonly maxNotebookBytes: number;
}

export function compileStatements({ dialect, builder, search }: Engine, budget: Budget): Statements {
  return {
    builder,
    budget,
    search,
    notebooks: notebookStatements(builder, dialect),
    pages: pageStatements(builder, dialect),
    saves: saveStatements(builder, dialect),
    together: saveTogether(builder),
    snapshots: snapshotStatements(builder, dialect),
    comments: commentStatements(builder),
    images: imageStatements(builder, dialect),
    deletions: objectDeletionStatements(builder, dialect),
    queue: queueStatements(builder, dialect),
    kept: keptStatements(builder, dialect),
    finished: finishedStatements(builder, dialect),
    cards: cardStatements(builder, dialect),
    jobs: jobStatements(builder),
    purge: purgeStatements(builder, dialect),
    reports: reportStatements(builder),
    sizes: sizeStatements(builder, dialect),
    times: timeStatements(builder),
    textEndings: textEndingStatements(builder, dialect),
  };
}
