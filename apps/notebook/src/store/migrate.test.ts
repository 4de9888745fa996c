import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findMigrationsFolder, planMigrations, readMigrations } from './migrate.ts';

const migration = (name: string, sha256 = `sha of ${name}`) => ({ name, sql: 'SELECT 1', sha256 });
const [one, two, three] = ['0001-a.sql', '0002-b.sql', '0003-c.sql'].map(name => migration(name)) as [Plan, Plan, Plan];
type Plan = ReturnType<typeof migration>;

describe('planMigrations', () => {
  it('applies what is missing, in order', () => {
    expect(planMigrations([], [one, two, three])).toEqual([one, two, three]);
    expect(planMigrations([one], [one, two, three])).toEqual([two, three]);
    expect(planMigrations([one, two], [one, two])).toEqual([]);
  });

  it('refuses a file that was changed after it was applied', () => {
    const changed = migration(one.name, 'another sha');
    expect(() => planMigrations([one], [changed, two])).toThrow('Migration 0001-a.sql was changed after it was applied');
  });

  it('refuses a database that a newer version has migrated', () => {
    expect(() => planMigrations([one, two], [one])).toThrow(
      'The database is newer than this program: migration 0002-b.sql is not known here.',
    );
  });

  it('refuses a file that was put in before one that is applied', () => {
    expect(() => planMigrations([one, three], [one, two, three])).toThrow(
      'Migration 0002-b.sql was never applied, but the later 0003-c.sql was.',
    );
  });
});

describe('readMigrations', () => {
  it('reads .sql files by number, the same whatever line ends the checkout has', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'octavo-migrations-'));
    await writeFile(join(folder, '0002-b.sql'), 'SELECT 2;\r\nSELECT 3;\r\n');
    await writeFile(join(folder, '0001-a.sql'), 'SELECT 1;');
    await writeFile(join(folder, '0003-c.sql'), 'SELECT 4;');
    await writeFile(join(folder, 'notes.txt'), 'no migration');
    const [first, second, third, ...rest] = await readMigrations(folder);
    expect([first, second, third].map(each => each?.name)).toEqual(['0001-a.sql', '0002-b.sql', '0003-c.sql']);
    expect([rest, first?.sha256]).toEqual([[], createHash('sha256').update('SELECT 1;').digest('hex')]);
    await writeFile(join(folder, '0002-b.sql'), 'SELECT 2;\nSELECT 3;\n');
    expect((await readMigrations(folder))[1]).toEqual(second);
    await rm(folder, { recursive: true });
  });

  it('finds the same numbers for both engines, beside the sources and beside the built program', async () => {
    const folder = findMigrationsFolder();
    const names = async (engine: string) => (await readMigrations(join(folder, engine))).map(({ name }) => name);
    expect(await names('sqlite')).toEqual(await names('postgres'));
    expect(findMigrationsFolder(join(folder, '..', 'dist', 'server'))).toBe(folder);
    expect(() => findMigrationsFolder(tmpdir())).toThrow('No folder "migrations" was found above');
  });
});
