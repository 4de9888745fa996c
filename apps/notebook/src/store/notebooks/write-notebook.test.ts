import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { aNotebook } from '../../../test/store/contract/subject.ts';
import type { Notebook } from '../../model/notebook.ts';
import type { Engine } from '../engine.ts';
import { findMigrationsFolder, readMigrations } from '../migrate.ts';
import { openSqlite } from '../sqlite/sqlite.ts';
import type { Query, Steps } from '../statement.ts';
import { compileStatements, type Statements } from '../statements.ts';
import type { CreateResult } from '../store.ts';
import { createNotebook } from './write-notebook.ts';

// On a database server, others' commits come between the statements of a creation. Here they come at a given point.

let engine: Engine;
let statements: Statements;
beforeEach(async () => {
  engine = openSqlite(':memory:');
  await engine.migrate(await readMigrations(join(findMigrationsFolder(), 'sqlite')));
  statements = compileStatements(engine, { maxNotebookBytes: 1_000_000 });
});
afterEach(() => engine.close());

const named = (id: string, slug: string, editTokenHash = 'hash') => aNotebook({ id, slug, editTokenHash });
const create = (notebook: Notebook) => engine.write(() => createNotebook(statements, notebook, []));
/** Creates it, and what is given happens behind so many of its statements. */
const createWhile = (notebook: Notebook, after: number, meanwhile: Query) =>
  engine.write(function* (): Steps<CreateResult> {
    const steps = createNotebook(statements, notebook, []);
    let step = steps.next();
    for (let count = 1; !step.done; count++) {
      const rows = yield step.value;
      if (count === after) yield meanwhile;
      step = steps.next(rows);
    }
    return step.value;
  });
const remove = (id: string) => statements.notebooks.delete.with({ id });
const countOf = async (slug: string) => (await engine.read(statements.notebooks.bySlug, { slug })).length;

it('the token of a notebook that is deleted after the first look is free, and no slug is called taken', async () => {
  await create(named('twin', 'one-slug'));
  expect(await createWhile(named('own', 'another-slug'), 1, remove('twin'))).toBe('created');
  expect(await countOf('another-slug')).toBe(1);
});

it('the token of a notebook that is there is used, whenever it came', async () => {
  await create(named('twin', 'one-slug'));
  expect(await create(named('own', 'another-slug'))).toBe('token_used');
  expect(await createWhile(named('own', 'another-slug'), 2, remove('twin'))).toBe('token_used');
  expect(await countOf('another-slug')).toBe(0);
});

it('a slug is taken while a notebook has it, and asked for once more', async () => {
  await create(named('first', 'one-slug', 'other hash'));
  expect(await create(named('own', 'one-slug'))).toBe('slug_taken');
  expect(await createWhile(named('own', 'one-slug'), 1, remove('first'))).toBe('created');
});
