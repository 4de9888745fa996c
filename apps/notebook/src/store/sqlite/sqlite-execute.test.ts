import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Value } from '../statement.ts';
import { executeOn, firstRowOn } from './sqlite-execute.ts';

let database: DatabaseSync;
beforeEach(() => {
  database = new DatabaseSync(':memory:');
});
afterEach(() => database.close());

const ask = (sql: string, values: readonly Value[] = [], isFixed = true) => ({ sql, values, isFixed });

describe('a statement on SQLite', () => {
  it('is prepared once where it comes again, and each time where it does not', () => {
    const prepare = vi.spyOn(database, 'prepare');
    const execute = executeOn(database);
    const first = firstRowOn(database);
    for (const turn of [1, 2, 3]) {
      expect(execute(ask('SELECT ? AS fixed', [turn]))).toStrictEqual([{ fixed: turn }]);
      expect(execute(ask('SELECT ? AS single', [turn], false))).toStrictEqual([{ single: turn }]);
      expect(first(ask('SELECT ? AS first', [turn]))).toStrictEqual([turn]);
    }
    expect(prepare.mock.calls.map(([sql]) => sql.split(' ').at(-1))).toEqual(['fixed', 'single', 'first', 'single', 'single']);
  });

  it('is handed truth as a number, bytes and nothing as they are, and no list', () => {
    const execute = executeOn(database);
    const bytes = new Uint8Array([1, 2]);
    const given = ask('SELECT ? AS true_, ? AS false_, ? AS bytes, ? AS none, ? AS word', [true, false, bytes, null, 'word']);
    expect(execute(given)).toStrictEqual([{ true_: 1, false_: 0, bytes, none: null, word: 'word' }]);
    expect(() => execute(ask('SELECT ?', [['a', 'b']]))).toThrow('SQLite has no arrays.');
  });

  it('finds no first row where there is none', () => {
    expect(firstRowOn(database)(ask('SELECT 1 WHERE false'))).toBeUndefined();
  });
});
