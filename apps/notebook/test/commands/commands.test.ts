import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { day, make, newId } from '../store/contract/subject.ts';
import { type Database, engines } from '../support/engines.ts';
import { startNotebookApp } from '../support/notebook-app.ts';
import { octavo } from '../support/octavo-command.ts';
import { octavoHere } from '../support/octavo-here.ts';

// Each command runs as a process once on each engine; what else it does is asked in this process.
describe.each(engines)('octavo on $name', engine => {
  let database: Database;
  let store: Store;
  let env: Record<string, string>;
  beforeEach(async () => {
    database = await engine.createDatabase();
    env = { DATABASE_URL: database.url };
    store = createStore(database.url);
    await store.migrate();
  });
  afterEach(async () => {
    await store.close();
    database.remove();
  });

  it('job purge does what is due and says what; with --dry-run it only says it', async () => {
    const due = await make(store, { expiresAt: Date.now() - 4 * day });
    const kept = await make(store, { expiresAt: Date.now() - 2 * day });
    const dry = await octavoHere(['job', 'purge', '--dry-run'], env);
    expect(dry).toMatchObject({ code: 0, out: expect.stringMatching(/^Would delete 1 expired and 0 opened/), err: '' });
    expect(await store.findNotebookBySlug(due.notebook.slug)).toBeDefined();
    const done = await octavo(['job', 'purge'], env);
    expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/^Deleted 1 expired and 0 opened/), err: '' });
    expect(await store.findNotebookBySlug(due.notebook.slug)).toBeUndefined();
    expect(await store.findNotebookBySlug(kept.notebook.slug)).toBeDefined();
    expect((await octavoHere(['job', 'purge'], env)).out).toMatch(/^Deleted 0 expired/);
  });

  it('job purge refuses after a leap of the clock, with exit code 1 and the command that says it is right', async () => {
    const due = await make(store, { expiresAt: Date.now() - 4 * day });
    await store.keepTime('clock-believed', Date.now() - 40 * day);
    const refused = await octavo(['job', 'purge'], env);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('the clock is 40 days ahead of when the service last ran. Nothing was deleted.');
    expect(await store.findNotebookBySlug(due.notebook.slug)).toBeDefined();
    expect((await octavoHere(['job', 'purge', '--dry-run', '--force'], env)).out).toMatch(/^Would delete 1 expired/);
    expect((await octavoHere(['job', 'purge'], env)).code).toBe(1);
    expect((await octavoHere(['job', 'purge', '--force'], env)).out).toMatch(/^Deleted 1 expired/);
    expect((await octavoHere(['job', 'purge'], env)).code).toBe(0);
  });

  it('reports lists newest first, and no stranger’s word reaches the terminal raw', async () => {
    const { notebook } = await make(store);
    const base = { notebookId: notebook.id, slug: notebook.slug } as const;
    const evil = 'one\ntwo \u001b[2J\u009b31m \u202eevil\u202c';
    await store.addReport({ ...base, id: newId(), reason: 'spam', detail: evil, createdAt: Date.parse('2026-03-01T10:00:00Z') });
    await store.addReport({ ...base, id: newId(), reason: 'malware', detail: '', createdAt: Date.parse('2026-03-02T10:00:00Z') });
    const table = await octavo(['reports'], env);
    const lines = table.out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^WHEN \(UTC\) {8}NOTEBOOK {2}REASON {3}SLUG/);
    expect(lines[1]).toMatch(/^2026-03-02 10:00 {2}there {5}malware {2}n-/);
    expect(lines[2]).toMatch(/^2026-03-01 10:00 {2}there {5}spam {5}n-.* {2}one two /);
    expect(lines).toHaveLength(3);
    const json = await octavoHere(['reports', '--json'], env);
    expect(JSON.parse(json.out).items.map((item: { detail: string }) => item.detail)).toEqual(['', evil]);
    for (const raw of ['\u001b', '\u009b', '\u202e']) for (const { out } of [table, json]) expect(out).not.toContain(raw);
  });

  it('take-down removes by slug or by view link, and puts back', async () => {
    const { notebook } = await make(store);
    const isDown = async () => (await store.findNotebookBySlug(notebook.slug))?.takenDownAt !== null;
    expect(await octavo(['take-down', notebook.slug], env)).toMatchObject({ code: 0, out: expect.stringContaining('410') });
    expect(await isDown()).toBe(true);
    expect((await octavoHere(['take-down', notebook.slug], env)).out).toContain('was taken down already');
    const undo = await octavoHere(['take-down', `https://notes.example/n/${notebook.slug}?x`, '--undo'], env);
    expect(undo).toMatchObject({ code: 0, out: expect.stringContaining('is back') });
    expect(await isDown()).toBe(false);
    const missing = await octavoHere(['take-down', 'nothing-here'], env);
    expect(missing).toMatchObject({ code: 1, out: '', err: 'octavo take-down: There is no notebook "nothing-here".\n' });
  });
});

it('job keep-alive calls /api/ping of PUBLIC_URL, and fails when nobody answers', async () => {
  const app = await startNotebookApp();
  const address = await app.listen();
  const env = { PUBLIC_URL: address };
  expect(await octavo(['job', 'keep-alive'], env)).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${address}/api/ping`),
  });
  expect((await octavoHere(['job', 'keep-alive', '--dry-run'], env)).out).toBe(`Would call ${address}/api/ping.\n`);
  await app.close();
  const failed = await octavoHere(['job', 'keep-alive'], env);
  expect(failed).toMatchObject({ code: 1, out: '' });
  expect(failed.err).toMatch(/^octavo job: .*ECONNREFUSED/);
});

describe('octavo refuses', () => {
  it.each<[args: string[], reason: string, run?: typeof octavo]>([
    [['jobs'], 'there is no command "jobs"', octavo],
    [['constructor'], 'there is no command "constructor"'],
    [['job'], 'the name of the job is missing'],
    [['job', 'sleep'], 'there is no job "sleep"'],
    [['job', 'toString'], 'there is no job "toString"'],
    [['job', 'purge', 'now'], '"now" is one word too many'],
    [['job', 'purge', '--dry'], "Unknown option '--dry'"],
    [['reports', 'all'], '"all" is one word too many'],
    [['take-down'], 'the slug is missing'],
    [['take-down', 'No Slug'], '"No Slug" is not a slug'],
    [['backup'], 'the file to write is missing'],
    [['restore'], 'the backup is missing'],
  ])('%j with exit code 2 and a reason', async (args, reason, run = octavoHere) => {
    const { code, out, err } = await run(args, { DATABASE_URL: 'sqlite:/nowhere/at-all.db' });
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(reason);
  });

  it.each([[['job', 'purge']], [['reports']], [['backup', 'copy.db']]])(
    'to make a new database where there is none: %j',
    async args => {
      const folder = mkdtempSync(join(tmpdir(), 'octavo-empty-'));
      const { code, err } = await octavoHere(args, { DATABASE_URL: `sqlite:${folder}/missing.db` });
      expect([code, err]).toEqual([1, expect.stringContaining(`There is no database at ${folder}/missing.db`)]);
      expect(readdirSync(folder)).toEqual([]);
      rmSync(folder, { recursive: true });
    },
  );

  it('a bad configuration, naming the variable', async () => {
    const { code, err } = await octavo(['reports'], { DATABASE_URL: 'mysql://x' });
    expect([code, err]).toEqual([1, expect.stringContaining('DATABASE_URL')]);
  });

  it('to copy a PostgreSQL, and names the tool for it', async () => {
    const env = { DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/name' };
    const tools = [await octavoHere(['backup', 'f.dump'], env), await octavoHere(['restore', 'f.dump'], env)];
    expect(tools.map(({ code }) => code)).toEqual([1, 1]);
    expect([tools[0]!.err, tools[1]!.err]).toEqual([
      expect.stringContaining('pg_dump --format=custom --file=f.dump'),
      // Over a database that a newer version has migrated, that version's tables and functions would stay.
      expect.stringContaining('pg_restore --exit-on-error --single-transaction --dbname=URL_OF_AN_EMPTY_DATABASE f.dump'),
    ]);
    expect(tools.map(({ err }) => err).join('')).not.toContain('secret');
  });
});

it.each(['--help', '-h'])('shows every command with %s', async word => {
  const { code, out } = await octavo([word]);
  expect(code).toBe(0);
  for (const word of ['serve', 'job', '--dry-run', 'reports', 'take-down', 'backup', 'restore']) expect(out).toContain(word);
});

it.each(['job', 'backup', 'restore', 'reports', 'take-down', 'push', 'pull'])('octavo %s --help shows its usage', async name => {
  const { code, out, err } = await octavoHere([name, '--help']);
  expect(await octavoHere([name, '-h'])).toEqual({ code, out, err });
  expect([code, out, err]).toEqual([0, expect.stringContaining(`Usage: octavo ${name}`), '']);
  expect(await octavoHere([name, '--halp'])).toMatchObject({ code: 2, out: '' });
});

it.each([
  ['--help', 0],
  ['-h', 0],
  ['now', 2],
  ['--port=8080', 2],
  ['--', 2],
])('octavo serve %s starts nothing', async (word, code) => {
  // With this port, a service that starts all the same ends at once.
  const answer = await octavo(['serve', word], { PORT: 'none' });
  expect([answer.code, answer.out + answer.err]).toEqual([code, expect.stringContaining('Usage: octavo serve\n')]);
});

describe('octavo backup and restore', () => {
  let folder: string;
  let env: Record<string, string>;
  const at = (name: string) => join(folder, name);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'octavo-backup-'));
    env = { DATABASE_URL: `sqlite:${at('octavo.db')}` };
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('copy a database in use with all that was acknowledged, and bring it back', async () => {
    const store = createStore(env.DATABASE_URL!);
    await store.migrate();
    const kept = await make(store, {}, ['# Kept']);
    expect(await octavo(['backup', at('copy.db')], env)).toMatchObject({ code: 0, err: '' });
    expect(statSync(at('copy.db')).mode & 0o777).toBe(0o600);
    const later = await make(store);
    const inUse = await octavo(['restore', at('copy.db'), '--force'], env);
    expect(inUse).toMatchObject({ code: 1, err: expect.stringContaining('is in use. Stop the service first.') });
    expect(await store.findNotebookBySlug(later.notebook.slug)).toBeDefined();
    await store.close();
    const refused = await octavo(['restore', at('copy.db')], env);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('already; --force replaces it') });
    const restored = await octavo(['restore', at('copy.db'), '--force'], env);
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining(': 1 notebooks.'), err: '' });
    const again = createStore(env.DATABASE_URL!);
    await again.migrate();
    expect((await again.listPages(kept.notebook.id))[0]?.markdown).toBe('# Kept');
    expect(await again.findNotebookBySlug(later.notebook.slug)).toBeUndefined();
    await again.close();
  });

  it('restore into an empty place, and over a damaged database', async () => {
    const store = createStore(env.DATABASE_URL!);
    await store.migrate();
    await make(store);
    await store.close();
    await octavoHere(['backup', at('copy.db')], env);
    const elsewhere = { DATABASE_URL: `sqlite:${at('new/octavo.db')}` };
    expect((await octavoHere(['restore', at('copy.db')], elsewhere)).code).toBe(0);
    writeFileSync(at('octavo.db'), 'this is no database any more');
    writeFileSync(at('octavo.db-wal'), 'left over');
    expect((await octavoHere(['restore', at('copy.db')], env)).code).toBe(1);
    expect((await octavoHere(['restore', at('copy.db'), '--force'], env)).code).toBe(0);
    expect((await octavoHere(['reports'], env)).out).toBe('Nothing was reported.\n');
  });

  it('overwrite nothing unasked and take nothing for a backup that is none', async () => {
    const store = createStore(env.DATABASE_URL!);
    await store.migrate();
    await store.close();
    writeFileSync(at('precious.txt'), 'precious');
    expect(await octavoHere(['backup', at('precious.txt')], env)).toMatchObject({
      code: 1,
      err: expect.stringContaining('exists already; --force replaces it'),
    });
    expect(readFileSync(at('precious.txt'), 'utf8')).toBe('precious');
    expect(await octavoHere(['restore', at('precious.txt'), '--force'], env)).toMatchObject({
      code: 1,
      err: expect.stringContaining('is not a backup of Octavo'),
    });
    expect((await octavoHere(['restore', at('missing.db')], env)).err).toContain('There is no file');
    symlinkSync(at('octavo.db'), at('the-same.db'));
    for (const command of ['backup', 'restore']) {
      const { code, err } = await octavoHere([command, at('the-same.db'), '--force'], env);
      expect([code, err]).toEqual([1, expect.stringContaining('is the database itself')]);
    }
  });
});
