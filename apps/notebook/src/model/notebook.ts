import { opensWith, pageName, untitledPage } from './page-name.ts';

/** The nouns of spec 1 §2, as the store keeps them. Times are milliseconds since 1970 UTC. */
export const visibilities = ['public', 'unlisted', 'private'] as const;
export type Visibility = (typeof visibilities)[number];

export const papers = ['plain', 'lined', 'grid', 'dotted', 'kraft'] as const;
export type Paper = (typeof papers)[number];

/** Computed from the record and the clock, never stored. */
export type Lifecycle = 'active' | 'expired' | 'burned';

export interface Notebook {
  /** 32 hex characters; also the prefix of its image keys, so it is not a secret. */
  readonly id: string;
  readonly slug: string;
  readonly title: string;
  readonly visibility: Visibility;
  readonly expiresAt: number | null;
  readonly passwordHash: string | null;
  readonly readOnly: boolean;
  readonly burnAfterRead: boolean;
  /** When the one reader of a burn-after-read notebook opened it. */
  readonly openedAt: number | null;
  /** SHA-256 of that reader's cookie, 64 hex characters. */
  readonly readerHash: string | null;
  readonly openEditing: boolean;
  /** Other sites may show it in a frame. */
  readonly embedding: boolean;
  readonly comments: boolean;
  readonly paper: Paper;
  /** SHA-256 of the edit token's 43 characters, 64 hex characters. */
  readonly editTokenHash: string;
  readonly takenDownAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Grows with every change to the notebook, its settings or its pages: it is part of every cache key. */
  readonly version: number;
  /** UTF-8 bytes of the markdown of all pages together, and of the data that restores imported files. Only the store writes this number. */
  readonly markdownBytes: number;
}

/** A page without its text: what a sidebar needs. */
export interface PageHead {
  readonly id: string;
  readonly notebookId: string;
  /** From 0, without gaps. */
  readonly position: number;
  /** The title from the writer; when it is empty, the first heading is used (see `pageTitle`). */
  readonly givenTitle: string;
  /** The first heading of the text when it was last changed; empty when there is none. */
  readonly heading: string;
  /** Counts content changes from 1. */
  readonly revision: number;
  readonly updatedAt: number;
}

export interface Page extends PageHead {
  readonly markdown: string;
}

/** A page that is about to be created. */
export interface PageToKeep extends Page {
  readonly file?: ImportedFile | undefined;
}

/** The file that a page was imported from. Only the owner gets the patch: it contains parts that readers must not see. */
export interface ImportedFile {
  /** Within the folder that it was imported from (see `isPagePath`). */
  readonly path: string;
  /** A unified diff from the page's first text to the file; empty when they were the same. */
  readonly patch: string;
}

export interface PageFile extends ImportedFile {
  readonly pageId: string;
}

export interface SnapshotHead {
  readonly id: string;
  readonly pageId: string;
  /** The page revision this text had. */
  readonly revision: number;
  readonly createdAt: number;
  /** UTF-8 bytes of its markdown. */
  readonly bytes: number;
}

/** The text that a content change replaced. */
export interface Snapshot extends SnapshotHead {
  readonly title: string;
  readonly markdown: string;
}

export function pageTitle(page: Pick<PageHead, 'givenTitle' | 'heading' | 'position'>): string {
  return page.givenTitle || page.heading || `Page ${page.position + 1}`;
}

export function isUntitled(page: Pick<PageHead, 'givenTitle' | 'heading'>): boolean {
  return !page.givenTitle && !page.heading;
}

export interface ShownTitle {
  readonly title: string;
  /** The text begins with these words: nobody needs to see them twice. */
  readonly titleInText: boolean;
}

/**
 * What readers see: a page without a title is called by its first line, as the editor calls it. A notebook's only page takes the notebook's
 * title instead.
 * @param text the page's, or its start; undefined when it was not read, in which case the page is numbered
 */
export function shownTitle(
  notebook: Pick<Notebook, 'title'>,
  pageCount: number,
  page: Pick<PageHead, 'givenTitle' | 'heading' | 'position'>,
  text: string | undefined,
): ShownTitle {
  if (!isUntitled(page)) return { title: pageTitle(page), titleInText: false };
  if (pageCount === 1) return { title: notebook.title, titleInText: text !== undefined && opensWith(text, notebook.title) };
  if (text === undefined) return { title: pageTitle(page), titleInText: false };
  const title = pageName({ title: pageTitle(page), text });
  return { title, titleInText: title !== untitledPage };
}
