import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { workFor } from '../../src/event-loop-turns.ts';
import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createDatabase } from '../support/postgres.ts';
import { aChange, atOnce, type Made, make, newId, noon } from './contract/subject.ts';

// What only a server can do to the store: make it wait, and end its connections.
describe('the store on PostgreSQL', () => {
  let url: string;
  let store: Store;
  let beside: Client;
  beforeAll(async () => {
    url = await createDatabase(inject('postgresUrl'));
    store = createStore(url);
    await store.migrate();
    beside = new Client({ connectionString: url });
    await beside.connect();
  });
  afterAll(async () => {
    await store.close();
    await beside.end();
  });

  const countOthers = async (condition: string) => {
    const query = `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND ${condition}`;
    // Inside a transaction the server would answer again what it answered first.
    await beside.query('SELECT pg_stat_clear_snapshot()');
    return (await beside.query<{ count: number }>(query)).rows[0]?.count;
  };
  const waiting = () => expect.poll(() => countOthers("wait_event_type = 'Lock'"), { timeout: 10_000 }).toBe(1);
  const slotOf = (key: string) => ({ name: 'contentWrite', key, max: 100, windowSeconds: 600 });
  const key = { revision: 1, variant: 'view', engine: '1' };

  it('starts without waiting for another process that migrates, when every migration was applied', async () => {
    await beside.query('SELECT pg_advisory_lock(6283185)');
    const other = createStore(url);
    try {
      await other.migrate();
    } finally {
      await beside.query('SELECT pg_advisory_unlock_all()');
      await other.close();
    }
  }, 10_000);

  it('refuses a database of a newer program before it looks at anything else', async () => {
    await beside.query("INSERT INTO migrations VALUES (10000, '9999-later.sql', 'x', '2026-01-01T00:00:00.000Z')");
    const older = createStore(url);
    await expect(older.migrate()).rejects.toThrow('The database is newer than this program: migration 9999-later.sql');
    await beside.query('DELETE FROM migrations WHERE number = 10000');
    await older.close();
  });

  it('keeps no rendering of a page whose deletion is under way, and does not fail', async () => {
    const { pages } = await make(store, {}, ['a', 'b']);
    await beside.query('BEGIN');
    await beside.query('DELETE FROM pages WHERE id = $1', [pages[0]!.id]);
    const kept = store.keepRendering(pages[0]!.id, key, { json: '{}', packed: null });
    await waiting();
    await beside.query('COMMIT');
    expect(await kept).toBeUndefined();
    expect(await store.findRendering(pages[0]!.id, key)).toBeUndefined();
  });

  it('reads what a view of a page in memory asks for while every other connection waits', async () => {
    const { owner } = await make(store);
    const { notebook } = await make(store);
    await beside.query('BEGIN');
    await beside.query('SELECT 1 FROM notebooks WHERE id = $1 FOR UPDATE', [owner.notebookId]);
    const changes = Array.from({ length: 20 }, () => store.changeSettings(owner, { title: 'mine' }, noon));
    await expect.poll(() => countOthers("wait_event_type = 'Lock'"), { timeout: 10_000 }).toBeGreaterThan(1);
    const first = await Promise.race([store.findNotebookBySlug(notebook.slug), ...changes]);
    expect(first).toMatchObject({ id: notebook.id });
    await beside.query('ROLLBACK');
    await Promise.all(changes);
  });

  it('gives its connections to clients in turns: a read of one does not wait for three hundred of another', async () => {
    const { notebook } = await make(store);
    const order: string[] = [];
    const read = (client: string) => workFor(client, () => store.listPages(notebook.id)).then(() => order.push(client));
    await Promise.all([...Array.from({ length: 300 }, () => read('many')), read('few')]);
    expect(order.indexOf('few')).toBeLessThan(50);
  });

  it('sees the token, the settings and the text of a change that it had to wait for', async () => {
    const { notebook, owner, pages } = await make(store);
    await beside.query('BEGIN');
    await beside.query("UPDATE pages SET markdown = 'theirs', revision = 2 WHERE id = $1", [pages[0]!.id]);
    await beside.query("UPDATE notebooks SET title = 'theirs' WHERE id = $1", [notebook.id]);
    const stale = store.changePage(owner, pages[0]!.id, aChange({ markdown: 'mine', expectedRevision: 1 }), noon);
    await waiting();
    await beside.query('COMMIT');
    expect(await stale).toMatchObject({ kind: 'stale', page: { markdown: 'theirs', revision: 2 } });

    await beside.query('BEGIN');
    await beside.query("UPDATE notebooks SET edit_token_hash = 'rotated' WHERE id = $1", [notebook.id]);
    const gone = store.changePage(owner, pages[0]!.id, aChange({ markdown: 'mine' }), noon);
    await waiting();
    await beside.query('COMMIT');
    expect(await gone).toEqual({ kind: 'gone' });
  });

  it('goes on after the server has ended its connections, idle or in the middle of a save', async () => {
    const { notebook, owner, pages } = await make(store);
    const end =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'octavo' AND datname = current_database()";
    await beside.query(end);
    expect(await store.findNotebookBySlug(notebook.slug)).toStrictEqual(notebook);

    await beside.query('BEGIN');
    await beside.query('SELECT 1 FROM notebooks WHERE id = $1 FOR UPDATE', [notebook.id]);
    const save = store.changePage(owner, pages[0]!.id, aChange({ markdown: 'in the middle' }), noon);
    await waiting();
    await beside.query(end);
    await beside.query('COMMIT');
    expect(await save).toMatchObject({ kind: 'changed', page: { revision: 2 } });
    expect(await store.listSnapshots(notebook.id, pages[0]!.id)).toHaveLength(1);
  });

  it('takes a deadlock as a reason to try once more', async () => {
    const { notebook, owner, pages } = await make(store, {}, ['a', 'b']);
    await beside.query("SET deadlock_timeout = '10s'");
    await beside.query('BEGIN');
    await beside.query('SELECT 1 FROM pages WHERE id = $1 FOR UPDATE', [pages[0]!.id]);
    // The store holds the notebook and waits for the page; this connection holds the page and now asks for the notebook.
    const save = store.changePage(owner, pages[0]!.id, aChange({ markdown: 'after all' }), noon);
    await waiting();
    await beside.query('SELECT 1 FROM notebooks WHERE id = $1 FOR UPDATE', [notebook.id]);
    await beside.query('COMMIT');
    expect(await save).toMatchObject({ kind: 'changed' });
  });

  it('keeps no save waiting for the notebook of another, and answers each for itself', async () => {
    const [held, ...others] = await atOnce(5, () => make(store));
    const save = ({ owner, pages }: Made, expectedRevision = 1) =>
      store.changePage(owner, pages[0]!.id, aChange({ markdown: 'at once', expectedRevision }), noon, slotOf(owner.notebookId));
    await beside.query('BEGIN');
    await beside.query('SELECT 1 FROM notebooks WHERE id = $1 FOR UPDATE', [held!.notebook.id]);
    const waits = save(held!);
    const missing = store.changePage(others[0]!.owner, newId(), aChange({ markdown: 'at once' }), noon);
    const answers = await Promise.all([...others.map((made, at) => save(made, at + 1)), missing]);
    expect(answers.map(({ kind }) => kind)).toEqual(['changed', 'stale', 'stale', 'stale', 'page_missing']);
    await waiting();
    await beside.query('COMMIT');
    expect(await waits).toMatchObject({ kind: 'changed', page: { revision: 2 } });
    // Counted when it was asked for, and not again after its wait.
    expect(await store.countRateUses(slotOf(held!.notebook.id), noon)).toBe(1);
  });

  it('keeps no save waiting for the rate slot of another', async () => {
    const [held, ...others] = await atOnce(4, () => make(store));
    const save = ({ owner, pages }: Made) =>
      store.changePage(owner, pages[0]!.id, aChange({ markdown: 'at once' }), noon, slotOf(owner.notebookId));
    await beside.query('BEGIN');
    await beside.query("INSERT INTO rate_slots (name, key, used, ends_at) VALUES ('contentWrite', $1, 1, $2)", [
      held!.notebook.id,
      noon + 600_000,
    ]);
    const page = { id: newId(), givenTitle: 'Given', heading: 'Heading', markdown: 'new' };
    // Waits as long as any transaction does.
    const patient = Promise.allSettled([store.addPage(held!.owner, page, undefined, noon, slotOf(held!.notebook.id))]);
    await waiting();
    const waits = save(held!);
    const first = await Promise.race([Promise.all(others.map(save)), patient]);
    expect(first).toMatchObject(others.map(() => ({ kind: 'changed' })));
    await beside.query('COMMIT');
    await patient;
    expect(await waits).toMatchObject({ kind: 'changed' });
    expect(await store.countRateUses(slotOf(held!.notebook.id), noon)).toBe(3);
  });

  it('tells a save alone what the server has against it', async () => {
    const [broken, sound] = await atOnce(2, () => make(store));
    await beside.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room'; END $$`);
    await beside.query(`CREATE TRIGGER refuse BEFORE UPDATE ON pages FOR EACH ROW WHEN (OLD.id = '${broken!.pages[0]!.id}')
      EXECUTE FUNCTION refuse()`);
    const answers = await Promise.allSettled(
      [broken!, sound!].map(({ owner, pages }) => {
        const change = aChange({ markdown: 'at once' });
        return store.changePage(owner, pages[0]!.id, change, noon, slotOf(owner.notebookId));
      }),
    );
    await beside.query('DROP TRIGGER refuse ON pages');
    expect(answers).toMatchObject([{ reason: { message: 'no room' } }, { value: { kind: 'changed' } }]);
    expect(await store.countRateUses(slotOf(broken!.notebook.id), noon)).toBe(0);
    expect(await store.countRateUses(slotOf(sound!.notebook.id), noon)).toBe(1);
  });

  it('saves many notebooks in few commits', async () => {
    const made = await atOnce(32, () => make(store));
    await Promise.all(
      made.map(({ owner, pages }) => store.changePage(owner, pages[0]!.id, aChange({ markdown: 'at once' }), noon)),
    );
    // The transaction that wrote each row.
    const query = 'SELECT count(DISTINCT xmin::text)::int AS commits FROM notebooks WHERE id = ANY ($1) AND version = 2';
    const { rows } = await beside.query<{ commits: number }>(query, [made.map(({ notebook }) => notebook.id)]);
    expect(rows[0]!.commits).toBeGreaterThan(0);
    expect(rows[0]!.commits).toBeLessThan(made.length / 2);
  });

  it('compresses a text with LZ4 where the server can', async () => {
    const { pages } = await make(store, {}, ['word '.repeat(1_000)]);
    const { rows } = await beside.query(
      `SELECT pg_column_compression(markdown) AS used, (SELECT CASE WHEN 'lz4' = ANY (enumvals) THEN 'lz4' ELSE 'pglz' END
        FROM pg_settings WHERE name = 'default_toast_compression') AS best FROM pages WHERE id = $1`,
      [pages[0]!.id],
    );
    expect(rows[0].used).toBe(rows[0].best);
  });
});
