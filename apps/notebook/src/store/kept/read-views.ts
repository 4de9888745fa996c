import type { Notebook } from '../../model/notebook.ts';
import type { Engine } from '../engine.ts';
import { notebookColumns, toNotebook, toNotebookInOrder } from '../notebooks/notebook-statements.ts';
import type { Statements } from '../statements.ts';
import type { FinishedRecord, Store, Viewed } from '../store.ts';
import { batchReads } from './batch-reads.ts';
import type { ViewedRow } from './finished-statements.ts';

type ViewReads = Pick<Store, 'findNotebookForView' | 'findViewed' | 'sync'>;

/** Reads for views: from an embedded database synchronously, from a server combined with the reads of other views. */
export function readViews(engine: Engine, statements: Statements): ViewReads {
  return engine.sync ? readHere(engine, engine.sync, statements) : readTogether(engine, statements);
}

function readHere(engine: Engine, { state, first }: NonNullable<Engine['sync']>, { notebooks, finished }: Statements): ViewReads {
  return {
    async findNotebookForView(slug) {
      const [row] = await engine.read(notebooks.bySlug, { slug });
      return row && toNotebook(row);
    },
    findViewed: findViewedAlone(engine, finished),
    sync: {
      state,
      findNotebookBySlug(slug) {
        const values = first(notebooks.bySlug, { slug });
        return values && toNotebookInOrder(values);
      },
      findViewed(slug, page, build) {
        const values =
          page === undefined ? first(finished.viewed, { slug, build }) : first(finished.viewedPage, { slug, build, page });
        return values && toViewedInOrder(values);
      },
    },
  };
}

function findViewedAlone(engine: Engine, { viewed, viewedPage }: Statements['finished']): Store['findViewed'] {
  return async (slug, page, build) => {
    const [row] =
      page === undefined ? await engine.read(viewed, { slug, build }) : await engine.read(viewedPage, { slug, build, page });
    return row && toViewed(row);
  };
}

/** A record is a few hundred bytes. */
const records = { maxKeys: 64, maxUnderWay: 2 };
/** A page is a few kilobytes, a long one a few hundred. */
const pages = { maxKeys: 8, maxUnderWay: 4 };

function readTogether(engine: Engine, { notebooks, finished }: Statements): ViewReads {
  const slugOf = (row: Notebook) => row.slug;
  const findRecord = batchReads(slugs => engine.readForView(notebooks.bySlugs, { slugs }), slugOf, records);
  const findAlone = findViewedAlone(engine, finished);
  let firstPages: { readonly build: string; readonly find: (slug: string) => Promise<ViewedRow | undefined> } | undefined;
  const firstPagesOf = (build: string) => {
    if (firstPages?.build !== build)
      firstPages = { build, find: batchReads(slugs => engine.read(finished.viewedOf, { slugs, build }), slugOf, pages) };
    return firstPages.find;
  };
  return {
    async findNotebookForView(slug) {
      const row = await findRecord(slug);
      return row && toNotebook(row);
    },
    async findViewed(slug, page, build) {
      if (page !== undefined) return findAlone(slug, page, build);
      const row = await firstPagesOf(build)(slug);
      return row && toViewed(row);
    },
  };
}

function toViewed(row: ViewedRow): Viewed {
  return { notebook: toNotebook(row), finished: toFinished(row) };
}

const notebookValues = notebookColumns.length;

function toViewedInOrder(values: readonly unknown[]): Viewed {
  const etag = values[notebookValues] as ViewedRow['etag'];
  const frames = values[notebookValues + 1] as ViewedRow['frames'];
  const br = values[notebookValues + 2] as ViewedRow['br'];
  return { notebook: toNotebookInOrder(values), finished: toFinished({ etag, frames, br }) };
}

function toFinished({ etag, frames, br }: Pick<ViewedRow, 'etag' | 'frames' | 'br'>): FinishedRecord | undefined {
  if (etag === null || br === null) return undefined;
  return { etag, frames: Boolean(frames), br: bufferOf(br) };
}

/** The drivers return a Uint8Array or a Buffer; neither is copied. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
