import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import { cannotOpen, isBusy, isDiskFull, sqliteFault } from './sqlite-errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'octavo-errors-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'octavo.db');

/** An error as the driver throws it: an extended result code, with the primary one in its low byte. */
const ofSqlite = (errcode: number, message = 'what SQLite said') =>
  Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
const ofSystem = (code: string) => Object.assign(new Error('what the system said'), { code });

describe('a fault of the file', () => {
  it.each([3, 5, 6, 7, 8, 10, 11, 13, 14, 15, 22, 23, 26])(
    'with result code %i makes the database unavailable, extended too',
    code => {
      for (const errcode of [code, code | (3 << 8)]) {
        const error = ofSqlite(errcode);
        const fault = sqliteFault(error);
        expect(fault).toBeInstanceOf(DatabaseUnavailable);
        expect((fault as Error).cause).toBe(error);
      }
    },
  );

  it.each([
    ['of a statement', ofSqlite(1)],
    ['of a constraint', ofSqlite(19 | (8 << 8))],
    ['of the program', new TypeError('x is not a function')],
    ['that is none', undefined],
    ['with a code in words', Object.assign(new Error(), { errcode: '5' })],
  ])('is not one %s', (_, error) => expect(sqliteFault(error)).toBe(error));

  it('is told from another process at work, and from a disk without room', () => {
    const codes = [1, 5, 6, 8, 10, 13, 5 | (2 << 8), 10 | (3 << 8)];
    expect(codes.filter(code => isBusy(ofSqlite(code)))).toEqual([5, 6, 5 | (2 << 8)]);
    expect(codes.filter(code => isDiskFull(ofSqlite(code)))).toEqual([10, 13, 10 | (3 << 8)]);
    expect([isBusy(new Error()), isBusy(null), isDiskFull(new Error()), isDiskFull(undefined)]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('a file that cannot be opened is named with the reason', () => {
  const holds = 'another process holds it. Is a backup, a restore or a database tool at work?';
  it.each([
    [ofSystem('EACCES'), 'this process may not write there.'],
    [ofSystem('EPERM'), 'this process may not write there.'],
    [ofSystem('EROFS'), 'its file system is mounted read-only.'],
    [ofSystem('ENOSPC'), 'the disk is full.'],
    [ofSystem('ENOTDIR'), `${folder} is not a folder.`],
    [ofSystem('EEXIST'), `${folder} is not a folder.`],
    [ofSystem('EISDIR'), 'it is a folder.'],
    [ofSystem('EIO'), 'what the system said.'],
    [ofSqlite(5), holds],
    [ofSqlite(6 | (1 << 8)), holds],
    [ofSqlite(8), 'this process may read it and not write to it.'],
    [ofSqlite(11), 'it is damaged. Put a backup in its place: octavo restore FILE --force.'],
    [ofSqlite(13), 'the disk is full.'],
    [ofSqlite(14), 'this process may not read it or not write to it.'],
    [ofSqlite(26), 'it is not a SQLite database.'],
    [ofSqlite(1), 'what SQLite said.'],
  ])('%s', (cause, reason) => {
    const error = cannotOpen(path, cause);
    expect(error.message).toBe(`The database file ${path} cannot be opened: ${reason}`);
    expect(error.cause).toBe(cause);
  });

  it('by its whole path', () => {
    expect(cannotOpen('some/octavo.db', ofSqlite(26)).message).toContain(` ${resolve('some/octavo.db')} `);
    expect(cannotOpen('some/octavo.db', ofSystem('ENOTDIR')).message).toContain(`: ${dirname(resolve('some/octavo.db'))} is not`);
  });

  it('in the words of SQLite where the file itself may be written', () => {
    new DatabaseSync(path).exec('CREATE TABLE one (a)');
    expect(cannotOpen(path, ofSqlite(14)).message).toMatch(/: what SQLite said\.$/);
    expect(cannotOpen(folder, ofSqlite(14)).message).toMatch(/: it is a folder\.$/);
  });
});
