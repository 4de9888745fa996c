import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine as OpenEngine } from '../../src/store/engine.ts';
import { listStatements } from '../../src/store/notebooks/list-public.ts';
import type { SaveArguments } from '../../src/store/pages/postgres-save.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { openSqlite } from '../../src/store/sqlite/sqlite.ts';
import type { Query } from '../../src/store/statement.ts';
import { compileStatements } from '../../src/store/statements.ts';
import { engines } from '../support/engines.ts';
import { make, minute, newId, noon } from './contract/subject.ts';
import { type OpenSubject, openSubject } from './open-subject.ts';

const rows = 20_000;

/** One of ten is due. */
function worldOf(count: number): string[] {
  const numbered = `WITH RECURSIVE numbered (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbered WHERE i < ${count})`;
  return [
    `INSERT INTO notebooks (id, slug, title, visibility, read_only, burn_after_read, open_editing, comments, paper, edit_token_hash,
    created_at, updated_at, version, expires_at, opened_at)
    ${numbered} SELECT 'n' || i, 's' || i, '', CASE WHEN i % 5 = 0 THEN 'public' ELSE 'unlisted' END, false, i % 20 = 1, false, true,
    'plain', 't' || i, i, i, 1, CASE WHEN i % 10 = 0 THEN i ELSE NULL END, CASE WHEN i % 20 = 1 THEN i ELSE NULL END FROM numbered`,
    `INSERT INTO pages (id, notebook_id, position, given_title, heading, revision, updated_at, markdown)
    ${numbered} SELECT 'p' || i, 'n' || i, 0, '', '', 1, i, 'text' FROM numbered`,
    `INSERT INTO rate_slots (name, key, used, ends_at) ${numbered} SELECT 'name', 'k' || i, 1, i FROM numbered`,
    `INSERT INTO freed_slugs (slug_hash, free_at) ${numbered} SELECT 'h' || i, i FROM numbered`,
    `INSERT INTO reports (id, notebook_id, slug, reason, detail, created_at)
    ${numbered} SELECT 'r' || i, 'n' || i, 's' || i, 'other', '', i FROM numbered`,
    `INSERT INTO upload_slots (image_id, notebook_id, over_at) ${numbered} SELECT 'i' || i, 'n' || i, i FROM numbered`,
    `INSERT INTO text_endings (page_id, revision, ended_at) VALUES ('p7', 1, 1)`,
  ];
}

/** A portion that goes through a whole table makes the whole run quadratic. */
const wholeTable = /(?:Seq Scan on|^SCAN) (?:notebooks|pages|rate_slots|freed_slugs|reports|upload_slots|over|old)\b.*/;

describe.each(engines)('what is asked in portions or at each start of a large world, on $name', engine => {
  let subject: OpenSubject;
  let open: OpenEngine;
  beforeAll(async () => {
    subject = await openSubject(engine);
    for (const statement of worldOf(rows)) await subject.sql(statement);
    // What PostgreSQL does by itself. Nobody does it for SQLite, and the statements must do without.
    if (engine.name === 'PostgreSQL') await subject.sql('ANALYZE');
    open = engine.name === 'SQLite' ? openSqlite(subject.url.slice('sqlite:'.length)) : openPostgres(subject.url, 1);
  });
  afterAll(async () => {
    await open.close();
    await subject.close();
  });

  async function planOf({ sql, values }: Query): Promise<string[]> {
    const explain = engine.name === 'SQLite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    const asked = { sql, with: () => ({ sql: `${explain} ${sql}`, values, isFixed: false }) };
    const plan = await open.read<object, Record<string, string>>(asked, {});
    return plan.map(row => row.detail ?? row['QUERY PLAN']!);
  }

  it('is found by an index, not by going through a table', async () => {
    const { purge, textEndings, notebooks, images } = compileStatements(open, { maxNotebookBytes: 1 });
    const due = { expiredBefore: rows / 2, openedBefore: rows / 2, from: 0, limit: 20 };
    const asked = {
      'the notebooks that a purge takes': purge.chooseExpired.with(due),
      'the opened notebooks that a purge takes': purge.chooseBurned.with(due),
      'a notebook that is left': purge.findExpired.with(due),
      'an opened notebook that is left': purge.findBurned.with(due),
      'a notebook that goes': purge.delete.with({ ...due, id: 'n10' }),
      'rate windows that are over': purge.deleteWindows.with({ now: rows / 2, from: 0, limit: 20 }),
      'slugs that are free again': purge.deleteSlugs.with({ now: rows / 2, from: 0, limit: 20 }),
      'old reports': purge.deleteReports.with({ before: rows / 2, from: 0, limit: 20 }),
      'uploads that were given up': images.dropOverSlots.with({ now: rows / 2, limit: 20 }),
      'uploads of a clock that was ahead': images.dropImpossibleSlots.with({ now: rows / 2, limit: 20 }),
      'texts that ended the process': textEndings.unsafe.with({}),
      'a notebook by its slug': notebooks.bySlug.with({ slug: 's17' }),
    };
    const through: Record<string, string[]> = {};
    for (const [name, query] of Object.entries(asked)) {
      const found = (await planOf(query)).flatMap(line => wholeTable.exec(line)?.[0] ?? []);
      if (found.length > 0) through[name] = found;
    }
    expect(through).toEqual({});
  });

  it.each(['oldest', 'newest'] as const)(
    'a list, %s first, goes on at its place, among notebooks of one time too',
    async order => {
      const { notebooks, heads } = listStatements(open.builder, order);
      const place = { updatedAt: rows / 2, id: 'n5000', limit: 10, now: 0 };
      for (const query of [notebooks.with(place), heads.with(place)]) {
        const plan = (await planOf(query)).join('\n');
        expect(plan).toContain('notebooks_listed');
        expect(plan).toMatch(/\(updated_at,id\)[<>]\(\?,\?\)|ROW\((?:notebooks\.)?updated_at, (?:notebooks\.)?id\) [<>] ROW\(/);
      }
    },
  );
});

describe('a portion on PostgreSQL, whatever plan the server makes', () => {
  const count = 200;
  let subject: OpenSubject;
  let open: OpenEngine;
  beforeAll(async () => {
    subject = await openSubject(engines.find(({ name }) => name === 'PostgreSQL')!);
    for (const statement of worldOf(count)) await subject.sql(statement);
    await subject.sql('ANALYZE');
    open = openPostgres(subject.url, 1);
  });
  afterAll(async () => {
    await open.close();
    await subject.close();
  });

  // A plan that looks at the portion again for each row of the table finds other rows each time, because those it has deleted are passed over.
  it.each([
    'nothing',
    'hashagg, sort',
    'hashagg, sort, hashjoin, mergejoin',
    'hashagg, sort, hashjoin, mergejoin, material, memoize',
    'nestloop',
    'indexscan, bitmapscan',
  ])('is no larger than it was asked to be, without %s', async without => {
    const ways = without === 'nothing' ? [] : without.split(', ');
    const { purge, images } = compileStatements(open, { maxNotebookBytes: 1 });
    const portions = {
      'rate windows': purge.deleteWindows.with({ now: count / 2, from: 0, limit: 3 }),
      slugs: purge.deleteSlugs.with({ now: count / 2, from: 0, limit: 3 }),
      reports: purge.deleteReports.with({ before: count / 2, from: 0, limit: 3 }),
      'uploads that were given up': images.dropOverSlots.with({ now: count / 2, limit: 3 }),
    };
    const deleted: Record<string, number> = {};
    for (const [name, portion] of Object.entries(portions)) {
      deleted[name] = await open.write(function* () {
        for (const way of ways) {
          yield { sql: `SELECT set_config('enable_${way}', 'off', true)`, values: [], isFixed: false };
        }
        return (yield portion).length;
      });
    }
    expect(deleted).toEqual({ 'rate windows': 3, slugs: 3, reports: 3, 'uploads that were given up': 3 });
  });
});

describe('a save on PostgreSQL, in a database that holds almost nothing', () => {
  let subject: OpenSubject;
  let open: OpenEngine;
  beforeAll(async () => {
    subject = await openSubject(engines.find(({ name }) => name === 'PostgreSQL')!);
    open = openPostgres(subject.url, 1);
  });
  afterAll(async () => {
    await open.close();
    await subject.close();
  });

  it('finds every row by an index: a connection keeps the plan of its first saves while the tables grow', async () => {
    const { owner, pages } = await make(subject.store);
    const { together } = compileStatements(open, { maxNotebookBytes: 1_000 });
    const save = (turn: number) => {
      const args: Omit<SaveArguments, 'text' | 'snapshot'> = {
        notebook: owner.notebookId,
        page: pages[0]!.id,
        tokenHash: owner.editTokenHash,
        title: null,
        heading: null,
        expected: null,
        autosaveSince: null,
        now: noon,
        slotName: 'contentWrite',
        slotKey: 'client',
        slotMax: 100,
        slotEnds: noon + minute,
      };
      const named = Object.entries({ ...args, text: `turn ${turn}`, snapshot: newId() }).map(([name, value]) => [
        `0 ${name}`,
        value,
      ]);
      return together(1).with({ ...Object.fromEntries(named), maxBytes: 1_000, maxSnapshotBytes: 10_000, waits: true });
    };
    // What this transaction alone has scanned.
    const sql =
      'SELECT relname, seq_scan::int AS through, idx_scan::int AS found FROM pg_stat_xact_user_tables WHERE relname = ANY ($1)';
    const tables = ['notebooks', 'pages', 'snapshots', 'rate_slots'];
    const scans = await open.write(function* () {
      for (let turn = 1; turn <= 12; turn++) expect(yield save(turn)).toMatchObject([{ kind: 'changed' }]);
      return yield { sql, values: [tables], isFixed: false };
    });
    expect(scans).toHaveLength(tables.length);
    for (const scan of scans) expect(scan).toMatchObject({ through: 0, found: expect.toSatisfy((count: number) => count >= 12) });
  });
});
