import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { query, statement } from './statement.ts';

const builder = new Kysely<{ words: { word: string; at: number } }>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: kysely => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

describe('a statement', () => {
  it('is built once, and gets its values in the order of their places', () => {
    let built = 0;
    const find = statement(({ word, at }: { word: string; at: number }) => {
      built += 1;
      return builder.selectFrom('words').select('word').where('at', '=', at).where('word', '=', word).where('at', '>', 5);
    });
    expect(built).toBe(0);
    const text = 'select "word" from "words" where "at" = ? and "word" = ? and "at" > ?';
    expect(find.with({ word: 'a', at: 1 })).toEqual({ sql: text, values: [1, 'a', 5], isFixed: true });
    expect(find.with({ word: 'b', at: 2 })).toEqual({ sql: text, values: [2, 'b', 5], isFixed: true });
    expect([find.sql, built]).toEqual([text, 1]);
  });

  it('whose shape depends on its values is not kept prepared', () => {
    const built = query(builder.selectFrom('words').select('word').where('at', 'in', [1, 2]));
    expect(built).toEqual({ sql: 'select "word" from "words" where "at" in (?, ?)', values: [1, 2], isFixed: false });
  });

  it('takes no value that could not be kept as it is, and none that is missing', () => {
    const asked = statement(({ word }: { word: string | undefined }) => ({
      compile: () => sql`SELECT ${word}`.compile(builder),
    }));
    for (const word of ['with\0in', 'with\ud800in']) {
      expect(() => asked.with({ word })).toThrow('The store refuses text with a NUL or a lone surrogate.');
      expect(() => query(builder.selectFrom('words').select('at').where('word', '=', word))).toThrow('NUL or a lone');
    }
    expect(() => asked.with({ word: undefined })).toThrow('A value for the database is missing.');
    expect(asked.with({ word: '' }).values).toEqual(['']);
  });
});
