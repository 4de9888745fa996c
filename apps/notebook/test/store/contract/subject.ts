import { randomBytes } from 'node:crypto';
import { createEditToken, hashEditToken } from '../../../src/model/edit-token.ts';
import type { Notebook, Page, PageFile } from '../../../src/model/notebook.ts';
import { countMarkdownBytes } from '../../../src/model/notebook-room.ts';
import { Owner, Visitor } from '../../../src/model/rights.ts';
import type { IndexTurn } from '../../../src/store/notebooks/public-records.ts';
import type { PageChange, Store } from '../../../src/store/store.ts';

/** One engine's store on a database of its own, and what the suite needs to look behind it. */
export interface Subject {
  readonly store: Store;
  /** Another store on the same database, as a second process has. */
  another(): Promise<Store>;
  /** A store on a fresh database that has no table yet. */
  empty(): Promise<{ store: Store; another(): Promise<Store> }>;
  /** Rows by plain SQL; `?` is a placeholder on both engines. */
  sql(query: string, ...values: (string | number)[]): Promise<Record<string, unknown>[]>;
  tables(): Promise<string[]>;
  /** Ids of the pages that the engine's own index finds for a word, by SQL. */
  search(word: string): Promise<string[]>;
  /** Which of these terms the index still holds, whether or not a page is found by them. */
  indexedTerms(terms: readonly string[]): Promise<string[]>;
}

export interface Made {
  readonly notebook: Notebook;
  readonly pages: readonly Page[];
  readonly owner: Owner;
  /** The rights of a visitor, as they were when open editing was on. */
  readonly visitor: Visitor;
}

/** Noon of a day in 2026. */
export const noon = Date.UTC(2026, 2, 1, 12);
export const minute = 60_000;
export const day = 24 * 60 * minute;

export const newId = (): string => randomBytes(16).toString('hex');

export function aNotebook(over: Partial<Notebook> = {}): Notebook {
  const id = newId();
  const plain = {
    title: 'Field notes',
    visibility: 'unlisted',
    paper: 'plain',
    comments: true,
    version: 1,
    markdownBytes: 0,
  } as const;
  const off = { readOnly: false, burnAfterRead: false, openEditing: false, embedding: false };
  const none = { expiresAt: null, passwordHash: null, openedAt: null, readerHash: null, takenDownAt: null };
  const hash = hashEditToken(createEditToken(randomBytes));
  return { id, slug: `n-${id}`, ...plain, ...off, ...none, editTokenHash: hash, createdAt: noon, updatedAt: noon, ...over };
}

export function aPage(notebookId: string, position: number, over: Partial<Page> = {}): Page {
  const text = { givenTitle: '', heading: `Page ${position}`, markdown: `# Page ${position}\n` };
  return { id: newId(), notebookId, position, ...text, revision: 1, updatedAt: noon, ...over };
}

/** Kept in the store, with as many pages as texts. */
export async function make(store: Store, over: Partial<Notebook> = {}, texts: readonly string[] = ['# One\n']): Promise<Made> {
  const editToken = createEditToken(randomBytes);
  const markdownBytes = countMarkdownBytes(texts.map(markdown => ({ markdown })));
  const notebook = aNotebook({ ...over, editTokenHash: hashEditToken(editToken), markdownBytes });
  const pages = texts.map((markdown, position) => aPage(notebook.id, position, { markdown }));
  const result = await store.createNotebook(notebook, pages);
  if (result !== 'created') throw new Error(result);
  const owner = Owner.check(notebook, editToken);
  const visitor = Visitor.check({ ...notebook, openEditing: true });
  if (!owner || !visitor) throw new Error('no rights');
  return { notebook, pages, owner, visitor };
}

/** The files that pages were imported from, in the order of the pages. */
export async function filesIn(store: Store, notebookId: string): Promise<(PageFile | undefined)[]> {
  const paths = await store.listPagePaths(notebookId);
  return Promise.all(paths.map(({ pageId }) => store.findPageFile(notebookId, pageId)));
}

export function aChange(over: Partial<PageChange> = {}): PageChange {
  return { autosave: false, newSnapshotId: newId(), ...over };
}

/** The same, as many times at once. */
export function atOnce<Result>(times: number, run: (turn: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: times }, (_, turn) => run(turn)));
}

/** As many times, but few at once: each waits for a connection, and on a busy machine the last of hundreds would wait too long. */
export async function fewAtOnce(times: number, run: (turn: number) => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < times; turn += 20) await atOnce(Math.min(20, times - turn), place => run(turn + place));
}

export function countBy<Item>(items: readonly Item[], key: (item: Item) => string): Record<string, number> {
  return Object.fromEntries(Object.entries(Object.groupBy(items, key)).map(([name, group]) => [name, group?.length ?? 0]));
}

/** Brings the text index up to everything that was written. */
export async function indexAll(store: Store): Promise<void> {
  let turns = 0;
  for (let notebook: string | undefined = ''; notebook !== undefined; turns += 1) {
    const turn: IndexTurn | undefined = await store.indexNextPage(notebook, noon);
    if (turn?.failure) throw turn.failure.error;
    // No test has so many pages.
    if (turns === 3_000) throw new Error('The queue of the text index does not end.');
    notebook = turn?.notebookId;
  }
}
