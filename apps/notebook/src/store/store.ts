import type { Comment, NumberedComment } from '../model/comment.ts';
import type {
  ImportedFile,
  Notebook,
  Page,
  PageFile,
  PageHead,
  PageToKeep,
  Paper,
  Snapshot,
  SnapshotHead,
  Visibility,
} from '../model/notebook.ts';
import type { Admission, Owner, Writer } from '../model/rights.ts';
import type { ImageRecords } from './images/image-records.ts';
import type { RateSlot } from './kept/rate-slot.ts';
import type { PublicRecords } from './notebooks/public-records.ts';
import type { UpkeepRecords } from './upkeep.ts';
import type { WriteRefused } from './write-refused.ts';

export type { UploadSlotResult } from './images/image-records.ts';
export type { IndexFailure, IndexTurn, ListedNotebook, ListPlace, SearchHit } from './notebooks/public-records.ts';
export type { ExpiredPlace, JobLease, PurgeCounts, PurgeDue, Purged, PurgePlace } from './upkeep.ts';
export type { RateSlot, WriteRefused };

/** `token_used`: another notebook has this edit token, or began with it. */
export type CreateResult = 'created' | 'slug_taken' | 'token_used';

/**
 * The records of the service. Two engines (SQLite, PostgreSQL) pass one contract suite. Every method is atomic: it is done wholly or not at
 * all, it is durable when its promise resolves, and what it decides on (token, read-only, revision, counts) is read in the same transaction
 * that writes. Times are milliseconds since 1970 UTC and come from the caller.
 */
export interface Store extends UpkeepRecords, PublicRecords, ImageRecords {
  /** Applies missing migrations, under a lock that lets many processes start at once. */
  migrate(): Promise<void>;
  close(): Promise<void>;
  /** Touches the database (spec 1 §4 `/api/ping`). */
  ping(): Promise<void>;
  /** The value kept under a name, made by `make` the first time; every process gets the same one. */
  getSecret(name: string, make: () => string): Promise<string>;

  createNotebook(notebook: Notebook, pages: readonly PageToKeep[]): Promise<CreateResult>;
  /** True when a living notebook has the slug, or a deleted one had it and its 90 days are not over. */
  isSlugTaken(slug: string, now: number): Promise<boolean>;
  /** Never waits behind slow statements: every request's access check reads it. */
  findNotebookBySlug(slug: string): Promise<Notebook | undefined>;
  findNotebookByTokenHash(editTokenHash: string): Promise<Notebook | undefined>;
  /** In order, without their text. */
  listPageHeads(notebookId: string): Promise<PageHead[]>;
  /** The start of the text of each page that has neither a title nor a heading, long enough to name it. */
  listPageOpenings(notebookId: string): Promise<{ readonly id: string; readonly opening: string }[]>;
  /** In order, with their text. */
  listPages(notebookId: string): Promise<Page[]>;
  /** The paths of the files that pages were imported from, in the order of the pages; none for pages that were written here. */
  listPagePaths(notebookId: string): Promise<Pick<PageFile, 'pageId' | 'path'>[]>;
  findPageFile(notebookId: string, pageId: string): Promise<PageFile | undefined>;
  findPage(notebookId: string, pageId: string): Promise<Page | undefined>;

  /** `after`: the id of the page it follows; absent: at the end. `slot`, here and below: counted in the same transaction. */
  addPage(by: Writer, page: NewPage, after: string | undefined, now: number, slot?: RateSlot): Promise<AddPageResult>;
  changePage(by: Writer, pageId: string, change: PageChange, now: number, slot?: RateSlot): Promise<ChangePageResult>;
  /** `expectedRevision`: deletes only the revision that the writer has seen. */
  deletePage(by: Owner, pageId: string, now: number, expectedRevision?: number, slot?: RateSlot): Promise<DeletePageResult>;
  /** Newest first, at most 10. */
  listSnapshots(notebookId: string, pageId: string): Promise<SnapshotHead[]>;
  findSnapshot(notebookId: string, snapshotId: string): Promise<Snapshot | undefined>;
  /** The replaced text becomes a snapshot (`newSnapshotId`), even if that pushes out the oldest. */
  restoreSnapshot(
    by: Owner,
    pageId: string,
    snapshotId: string,
    newSnapshotId: string,
    now: number,
    slot?: RateSlot,
  ): Promise<ChangePageResult>;

  /**
   * In order of arrival, at most `maxCommentsAtOnce`.
   * @param after the number of the last comment that was read
   */
  listComments(notebookId: string, after?: number): Promise<NumberedComment[]>;
  /**
   * The same for those on one page.
   * @param firstPageId the page that comments on the notebook as a whole belong to
   */
  listCommentsOfPage(notebookId: string, pageId: string, firstPageId: string, after?: number): Promise<NumberedComment[]>;
  /** @param by what lets its writer see the notebook; absent: nothing is asked */
  addComment(comment: Comment, by?: Owner | Admission): Promise<AddCommentResult>;
  deleteComment(by: Owner, commentId: string): Promise<'deleted' | 'comment_missing' | 'gone'>;

  /** @param maxBytes reads the pages with it, in the same transaction, unless they have more bytes; absent: does not */
  changeSettings(by: Owner, change: SettingsChange, now: number, maxBytes?: number): Promise<SettingsResult>;
  rotateEditToken(by: Owner, newEditTokenHash: string, now: number): Promise<boolean>;
  /**
   * Deletes its row, pages, snapshots and renderings. Its hash keeps the slug taken until `slugFreeAt`. Snapshots go first, in portions of
   * a mebibyte: if the rest fails, they are already gone.
   */
  deleteNotebook(by: Owner, slugFreeAt: number): Promise<boolean>;

  /**
   * Opens a burn-after-read notebook for exactly one caller ever, in one statement: true for that one. False when it was opened before, is
   * not burn-after-read, is private, expired or taken down, or its password is no longer the one that was checked.
   */
  claimOpening(notebookId: string, readerHash: string, passwordHash: string | null, now: number): Promise<boolean>;

  /**
   * Checks and counts in one statement (spec 1 §8). A refused attempt is not counted. Windows are fixed: a slot's window starts with its
   * first use and ends `windowSeconds` later.
   */
  takeRateSlot(slot: RateSlot, now: number): Promise<{ allowed: true } | { allowed: false; retryAfterSeconds: number }>;
  /** How often the slot was taken in the current window. */
  countRateUses(slot: Pick<RateSlot, 'name' | 'key'>, now: number): Promise<number>;
  /** Gives one use back that the limit is not meant for. */
  giveBackRateSlot(slot: Pick<RateSlot, 'name' | 'key'>, now: number): Promise<void>;
  /** Whether more windows than that ended before then. */
  hasManyOldRateSlots(before: number, many: number): Promise<boolean>;

  /** Safe HTML kept per page revision. `variant` tells renderings of the same text apart; `engine` names the renderer's version. */
  findRendering(pageId: string, key: RenderingKey): Promise<KeptRendering | undefined>;
  /** Keeps only the newest revision of a variant; a no-op when the page is gone, or the database takes no writes right now. */
  keepRendering(pageId: string, key: RenderingKey, kept: KeptRendering): Promise<void>;

  /** A notebook and one of its pages as it is sent, if one was kept for this version and `build`. Without a page id: the first page. */
  findViewed(slug: string, pageId: string | undefined, build: string): Promise<Viewed | undefined>;
  /**
   * Does nothing unless the notebook still has this version and everybody with the link may read it, or when the database takes no writes.
   */
  keepFinishedPage(pageId: string, version: number, build: string, page: FinishedRecord): Promise<void>;
  /** The preview picture of a shared link, if one was kept for this version and `build`. */
  findCard(notebookId: string, version: number, build: string): Promise<Buffer | undefined>;
  /** Like `keepFinishedPage`; only the newest cards of all notebooks are kept. */
  keepCard(notebookId: string, version: number, build: string, png: Uint8Array, now: number): Promise<void>;
  /** The same reads, synchronous; only when the database is in this process. */
  readonly sync?: SyncReads;
}

/** The result of rendering a page. The HTML is part of the JSON, or packed separately. */
export interface KeptRendering {
  readonly json: string;
  readonly packed: Uint8Array | null;
}

/** A page as it is sent: brotli, and the data for its head. */
export interface FinishedRecord {
  readonly etag: string;
  readonly frames: boolean;
  readonly br: Buffer;
}

export interface Viewed {
  readonly notebook: Notebook;
  readonly finished: FinishedRecord | undefined;
}

/** Every method throws when the database is at fault. */
export interface SyncReads {
  /** A read is valid while this number stays the same. `shared`: use this turn's earlier answer. */
  state(shared: boolean): number;
  findNotebookBySlug(slug: string): Notebook | undefined;
  findViewed(slug: string, pageId: string | undefined, build: string): Viewed | undefined;
  /** Whether `findViewed` waits for the disk, and everybody with it, unless `prefetchViewed` is awaited first. */
  isSlow(): boolean;
  prefetchViewed(slug: string, pageId: string | undefined, build: string): Promise<unknown>;
}

export interface NewPage {
  readonly id: string;
  /** The key of the request: a second one with the same key adds no page. */
  readonly key?: string | undefined;
  readonly file?: ImportedFile | undefined;
  readonly givenTitle: string;
  readonly heading: string;
  readonly markdown: string;
}

export interface PageChange {
  readonly givenTitle?: string | undefined;
  readonly markdown?: string | undefined;
  /** Set together with `markdown`. */
  readonly heading?: string | undefined;
  /** From `If-Match`; the change is refused as stale when the page has another revision. Absent: last writer wins. */
  readonly expectedRevision?: number | undefined;
  /** Makes a snapshot only when the page's newest is older than 5 minutes, or there is none. */
  readonly autosave: boolean;
  readonly newSnapshotId: string;
  /** The file that the page comes from now; absent: unchanged. */
  readonly file?: ImportedFile | undefined;
}

export type TooLarge = { kind: 'notebook_too_large'; maxBytes: number };
export type AddPageResult =
  | WriteRefused
  | TooLarge
  | { kind: 'added'; page: Page }
  /** A request with the same key added it; the page is as it is now. */
  | { kind: 'added_before'; page: Page }
  | { kind: 'page_limit' }
  | { kind: 'after_missing' };
export type DeletePageResult = WriteRefused | { kind: 'deleted' | 'last_page' | 'page_missing' } | { kind: 'stale'; page: Page };

export type ChangePageResult =
  | WriteRefused
  | TooLarge
  | { kind: 'changed'; page: Page }
  /** Same text and title: the revision stays, no snapshot is made. */
  | { kind: 'unchanged'; page: Page }
  | { kind: 'stale'; page: Page }
  | { kind: 'page_missing' }
  | { kind: 'snapshot_missing' };

export type AddCommentResult = 'added' | 'gone' | 'comments_off' | 'page_missing' | 'comment_limit';

export interface SettingsChange {
  /** Empty: it gives way to the first heading, as at creation. */
  readonly title?: string | undefined;
  readonly visibility?: Visibility | undefined;
  readonly expiresAt?: number | null | undefined;
  readonly passwordHash?: string | null | undefined;
  readonly readOnly?: boolean | undefined;
  readonly burnAfterRead?: boolean | undefined;
  readonly openEditing?: boolean | undefined;
  readonly embedding?: boolean | undefined;
  readonly comments?: boolean | undefined;
  readonly paper?: Paper | undefined;
  /** Every page id of the notebook, once, in the new order. */
  readonly pageOrder?: readonly string[] | undefined;
}
export type SettingsResult =
  | { kind: 'changed'; notebook: Notebook; pages?: readonly Page[] }
  | { kind: 'gone' }
  | { kind: 'read_only' }
  | { kind: 'page_order_mismatch' };

export interface RenderingKey {
  readonly revision: number;
  readonly variant: string;
  readonly engine: string;
}
