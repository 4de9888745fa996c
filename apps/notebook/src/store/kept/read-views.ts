import type { Notebook } from '../../model/notebook.ts';
import type { Engine } from '../engine.ts';
import { notebookColumns, toNotebook, toNotebookInOrder } from '../notebooks/notebook-statements.ts';
import type { Statement } from '../statement.ts';
import type { Statements } from '../statements.ts';
import type { FinishedRecord, Store, SyncReads, Viewed } from '../store.ts';
import { batchReads } from './batch-reads.ts';
import type { ViewedRow } from './finished-statements.ts';

type ViewArgs = Parameters<Store['findViewed']>;
type ViewReads = Pick<Store, 'findNotebookBySlug' | 'findViewed' | 'sync'>;

/** Reads of records and for views: from an embedded database synchronously, from a server combined with those of other requests. */
export function readViews(engine: Engine, statements: Statements): ViewReads {
  return engine.sync ? readHere(engine, engine.sync, statements) : readTogether(engine, statements);
}

function readHere(engine: Engine, sync: NonNullable<Engine['sync']>, { notebooks, finished }: Statements): ViewReads {
  const { state, first, ahead } = sync;
  function readView<Read>(
    [slug, page, build]: ViewArgs,
    read: <Args>(statement: Statement<Args, ViewedRow>, args: Args) => Read,
  ) {
    return page === undefined ? read(finished.viewed, { slug, build }) : read(finished.viewedPage, { slug, build, page });
  }
  const isSlow = () => ahead?.isOn === true;
  const prefetchViewed: SyncReads['prefetchViewed'] = async (...view) =>
    ahead && readView(view, (statement, args) => ahead.prefetch(statement.with(args)));
  return {
    async findNotebookBySlug(slug) {
      const [row] = await engine.read(notebooks.bySlug, { slug });
      return row && toNotebook(row);
    },
    async findViewed(...view) {
      if (isSlow()) await prefetchViewed(...view);
      const [row] = await readView(view, (statement, args) => engine.read(statement, args));
      return row && toViewed(row);
    },
    sync: {
      state,
      findNotebookBySlug(slug) {
        const values = first(notebooks.bySlug, { slug });
        return values && toNotebookInOrder(values);
      },
      isSlow,
      prefetchViewed,
      findViewed(...view) {
        const read = () => readView(view, first);
        const values = ahead ? ahead.timed(read) : read();
        return values && toViewedInOrder(values);
      },
    },
  };
}

/** A record is a few hundred bytes. */
const records = { maxKeys: 64, maxUnderWay: 2 };
/** A page is a few kilobytes, a long one a few hundred. */
const pages = { maxKeys: 8, maxUnderWay: 4 };

function readTogether(engine: Engine, { notebooks, finished }: Statements): ViewReads {
  const slugOf = (row: Notebook) => row.slug;
  const findRecord = batchReads(slugs => engine.readRecords(notebooks.bySlugs, { slugs }), slugOf, records);
  /** A process draws with one build, so only the last one's readers are kept. */
  let reads: { readonly build: string; readonly first: ReadPage; readonly other: ReadPage } | undefined;
  const readsOf = (build: string) => {
    if (reads?.build !== build) {
      reads = {
        build,
        first: batchReads(slugs => engine.read(finished.viewedOf, { slugs, build }), slugOf, pages),
        other: batchReads(
          ids => engine.read(finished.viewedPages, { pages: ids, build }),
          row => row.page,
          pages,
        ),
      };
    }
    return reads;
  };
  async function findNotebookBySlug(slug: string): Promise<Notebook | undefined> {
    const row = await findRecord(slug);
    return row && toNotebook(row);
  }
  return {
    findNotebookBySlug,
    async findViewed(slug, page, build) {
      const { first, other } = readsOf(build);
      const row = await (page === undefined ? first(slug) : other(page));
      // An address may join a page to a notebook that it isn't in.
      if (row?.slug === slug) return toViewed(row);
      const notebook = page === undefined ? undefined : await findNotebookBySlug(slug);
      return notebook && { notebook, finished: undefined };
    },
  };
}

type ReadPage = (key: string) => Promise<ViewedRow | undefined>;

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
