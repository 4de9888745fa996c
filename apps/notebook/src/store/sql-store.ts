import { pageTitle } from '../model/notebook.ts';
import { hashSlug } from '../model/slug.ts';
import type { TextTracker } from '../model/text-tracker.ts';
import { addComment, deleteComment } from './comments/write-comments.ts';
import { DatabaseUnavailable } from './database-unavailable.ts';
import { type Engine, each } from './engine.ts';
import { createHeavyWrites, type HeavyWrites } from './heavy-writes.ts';
import { imageRecords } from './images/image-store.ts';
import { cardClockToleranceMs } from './kept/card-statements.ts';
import { secondsToWait } from './kept/kept-statements.ts';
import { bufferOf, readViews } from './kept/read-views.ts';
import { withRateSlot } from './kept/with-rate-slot.ts';
import type { Migration } from './migrate.ts';
import { createListPublic } from './notebooks/list-public.ts';
import { toNotebook } from './notebooks/notebook-statements.ts';
import { changeAndRead } from './notebooks/write-settings.ts';
import { createSavePage } from './pages/postgres-save.ts';
import { changePage, restoreSnapshot } from './pages/write-content.ts';
import { addPage } from './pages/write-pages.ts';
import { indexNextPage } from './search/index-next-page.ts';
import { createSearchPublic } from './search/search-public.ts';
import { type Budget, compileStatements, type Statements } from './statements.ts';
import type { Store } from './store.ts';
import { upkeep } from './upkeep/upkeep-store.ts';

/** The store over either engine. `readMigrations` is called only by `migrate`. */
export function createSqlStore(
  engine: Engine,
  readMigrations: () => Promise<readonly Migration[]>,
  budget: Budget,
  texts: TextTracker,
): Store {
  const statements = compileStatements(engine, budget);
  const heavy = createHeavyWrites(engine, statements);
  return {
    migrate: async () => engine.migrate(await readMigrations()),
    async close() {
      await heavy.close();
      await engine.close();
    },
    ...reads(engine, statements),
    ...notebookWrites(engine, statements, heavy),
    ...contentWrites(engine, statements, heavy),
    ...comments(engine, statements),
    ...kept(engine, statements),
    ...finishedPages(engine, statements),
    ...imageRecords(engine, statements),
    ...upkeep(engine, statements, heavy),
    indexNextPage: (afterNotebook, now) => indexNextPage(engine, statements, texts, afterNotebook, now),
    searchPublic: createSearchPublic(engine),
    listPublic: createListPublic(engine),
  };
}

type Methods<Name extends keyof Store> = Pick<Store, Name>;

function reads(
  engine: Engine,
  { notebooks, pages, snapshots }: Statements,
): Methods<
  | 'isSlugTaken'
  | 'findNotebookByTokenHash'
  | 'listPageHeads'
  | 'listPageOpenings'
  | 'findPageFile'
  | 'listPagePaths'
  | 'listPages'
  | 'findPage'
  | 'listSnapshots'
  | 'findSnapshot'
> {
  return {
    async isSlugTaken(slug, now) {
      return (await engine.read(notebooks.isTaken, { slug, slugHash: hashSlug(slug), now })).length > 0;
    },
    async findNotebookByTokenHash(hash) {
      const [row] = await engine.read(notebooks.byTokenHash, { hash });
      return row && toNotebook(row);
    },
    findPageFile: async (notebook, page) => (await engine.read(pages.fileIn, { notebook, page }))[0],
    listPagePaths: notebook => engine.read(pages.paths, { notebook }),
    listPageHeads: notebook => engine.read(pages.heads, { notebook }),
    listPageOpenings: notebook => engine.read(pages.openings, { notebook }),
    listPages: notebook => engine.read(pages.list, { notebook }),
    findPage: async (notebook, page) => (await engine.read(pages.find, { notebook, page }))[0],
    listSnapshots: (notebook, page) => engine.read(snapshots.list, { notebook, page }),
    async findSnapshot(notebook, snapshot) {
      const [row] = await engine.read(snapshots.find, { notebook, snapshot });
      if (!row) return undefined;
      const { givenTitle, heading, position, ...rest } = row;
      return { ...rest, title: pageTitle({ givenTitle, heading, position }) };
    },
  };
}

function notebookWrites(
  engine: Engine,
  statements: Statements,
  heavy: HeavyWrites,
): Methods<'createNotebook' | 'changeSettings' | 'rotateEditToken' | 'deleteNotebook' | 'claimOpening'> {
  return {
    createNotebook: heavy.createNotebook,
    changeSettings: (by, change, now, maxBytes) => engine.write(() => changeAndRead(statements, by, change, now, maxBytes)),
    async rotateEditToken(by, newHash, now) {
      const given = { id: by.notebookId, hash: by.editTokenHash, newHash, now };
      return (await engine.run(statements.notebooks.rotateToken, given)).length > 0;
    },
    async claimOpening(id, readerHash, passwordHash, now) {
      return (await engine.run(statements.notebooks.claimOpening, { id, readerHash, passwordHash, now })).length > 0;
    },
    deleteNotebook: heavy.deleteNotebook,
  };
}

function contentWrites(
  engine: Engine,
  statements: Statements,
  heavy: HeavyWrites,
): Methods<'addPage' | 'changePage' | 'deletePage' | 'restoreSnapshot'> {
  const { kept } = statements;
  const savePage = engine.dialect.savesPageByFunction ? createSavePage(engine, statements) : undefined;
  return {
    addPage: (by, page, after, now, slot) =>
      engine.write(() => withRateSlot(kept, slot, now, () => addPage(statements, by, page, after, now))),
    changePage: (by, pageId, change, now, slot) =>
      // The database function handles no files, and of a visitor it checks only that open editing is on.
      savePage && by.kind === 'owner' && !change.file
        ? savePage(by, pageId, change, now, slot)
        : engine.write(() => withRateSlot(kept, slot, now, () => changePage(statements, by, pageId, change, now))),
    deletePage: (by, page, now, expectedRevision, slot) => heavy.deletePage({ by, page, now, expectedRevision, slot }),
    restoreSnapshot: (by, page, snapshot, newSnapshot, now, slot) =>
      engine.write(() =>
        withRateSlot(kept, slot, now, () => restoreSnapshot(statements, by, { page, snapshot, newSnapshot }, now)),
      ),
  };
}

function comments(
  engine: Engine,
  statements: Statements,
): Methods<'listComments' | 'listCommentsOfPage' | 'addComment' | 'deleteComment'> {
  return {
    listComments: (notebook, after = 0) => engine.read(statements.comments.list, { notebook, after }),
    listCommentsOfPage: (notebook, page, first, after = 0) =>
      engine.read(statements.comments.listOfPage, { notebook, page, first, after }),
    addComment: (comment, by) => engine.write(() => addComment(statements, comment, by)),
    deleteComment: (by, comment) => engine.write(() => deleteComment(statements, by, comment)),
  };
}

function kept(
  engine: Engine,
  { kept }: Statements,
): Methods<
  | 'ping'
  | 'getSecret'
  | 'takeRateSlot'
  | 'countRateUses'
  | 'giveBackRateSlot'
  | 'hasManyOldRateSlots'
  | 'findRendering'
  | 'keepRendering'
> {
  return {
    async ping() {
      await engine.read(kept.ping, {});
    },
    getSecret: (name, make) => getSecret(engine, kept, name, make),
    async takeRateSlot({ name, key, max, windowSeconds }, now) {
      const taken = await engine.run(kept.takeSlot, { name, key, max, now, endsAt: now + windowSeconds * 1000 });
      if (taken[0] && taken[0].used <= max) return { allowed: true };
      const [slot] = await engine.read(kept.slotEnd, { name, key });
      return { allowed: false, retryAfterSeconds: secondsToWait(slot, now, windowSeconds) };
    },
    async countRateUses({ name, key }, now) {
      return (await engine.read(kept.countSlot, { name, key, now }))[0]?.used ?? 0;
    },
    async giveBackRateSlot({ name, key }, now) {
      await engine.run(kept.giveBackSlot, { name, key, now });
    },
    hasManyOldRateSlots: async (before, many) => (await engine.read(kept.findOldSlot, { before, skip: many })).length > 0,
    async findRendering(page, { revision, variant, engine: renderer }) {
      return (await engine.read(kept.findRendering, { page, revision, variant, engine: renderer }))[0];
    },
    async keepRendering(page, { revision, variant, engine: renderer }, { json, packed }) {
      await engine.run(kept.keepRendering, { page, revision, variant, engine: renderer, json, packed }).catch(ignoreUnavailable);
    },
  };
}

function finishedPages(
  engine: Engine,
  statements: Statements,
): Methods<'findNotebookBySlug' | 'findViewed' | 'keepFinishedPage' | 'findCard' | 'keepCard'> & Pick<Store, 'sync'> {
  const { finished, cards } = statements;
  return {
    ...readViews(engine, statements),
    async keepFinishedPage(page, version, build, { etag, frames, br }) {
      await engine.run(finished.keep, { page, version, build, etag, frames, br }).catch(ignoreUnavailable);
    },
    async findCard(notebook, version, build) {
      const [row] = await engine.read(cards.find, { notebook, version, build });
      return row && bufferOf(row.png);
    },
    async keepCard(notebook, version, build, png, now) {
      const card = { notebook, version, build, png, now };
      const after = now + cardClockToleranceMs;
      const keep = () => each([cards.dropFuture.with({ after }), cards.keep.with(card), cards.trim.with({})]);
      await engine.write(keep).catch(ignoreUnavailable);
    },
  };
}

/** A rendering that was not kept is made again: readers must not be refused because the disk is full. */
function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof DatabaseUnavailable)) throw error;
}

async function getSecret(engine: Engine, kept: Statements['kept'], name: string, make: () => string): Promise<string> {
  const [known] = await engine.read(kept.findSecret, { name });
  if (known) return known.value;
  // When several processes find none, one of them inserts, and all read what was inserted.
  await engine.run(kept.addSecret, { name, value: make() });
  const [made] = await engine.read(kept.findSecret, { name });
  if (!made) throw new Error(`The secret ${name} could not be kept.`);
  return made.value;
}
