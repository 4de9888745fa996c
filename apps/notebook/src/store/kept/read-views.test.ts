import { beforeEach, describe, expect, it } from 'vitest';
import { aNotebook } from '../../../test/store/contract/subject.ts';
import type { Engine } from '../engine.ts';
import { notebookColumns } from '../notebooks/notebook-statements.ts';
import type { Statements } from '../statements.ts';
import { bufferOf, readViews } from './read-views.ts';

const names = ['bySlug', 'bySlugs'].map(name => [name, name]);
const statements = {
  notebooks: Object.fromEntries(names),
  finished: { viewed: 'viewed', viewedOf: 'viewedOf', viewedPage: 'viewedPage', viewedPages: 'viewedPages' },
} as unknown as Statements;

const [one, two] = [aNotebook({ slug: 'one' }), aNotebook({ slug: 'two' })];
/** Rows as a driver may return them: a view into a larger buffer, and a boolean as a number. */
const bytes = new Uint8Array([0, 1, 2, 3]).subarray(1, 3);
const page = { etag: 'W/"one"', frames: 1, br: bytes };
const finished = { etag: 'W/"one"', frames: true, br: Buffer.from([1, 2]) };
const noPage = { etag: null, frames: null, br: null };

let asked: [how: string, statement: string, args: object][];
let rows: object[];
beforeEach(() => {
  asked = [];
  rows = [
    { ...one, ...page },
    { ...two, ...noPage },
  ];
});

const pageIds: Readonly<Record<string, string>> = { one: 'a page', two: 'another page' };

const answer =
  (how: string) => async (statement: string, args: { slug?: string; slugs?: readonly string[]; pages?: readonly string[] }) => {
    asked.push([how, statement, args]);
    const all = rows as (typeof one)[];
    if (args.pages)
      return all.map(row => ({ ...row, page: pageIds[row.slug]! })).filter(({ page }) => args.pages!.includes(page));
    const wanted = args.slugs ?? [args.slug];
    return all.filter(row => wanted.includes(row.slug));
  };
const server = { read: answer('read'), readRecords: answer('readRecords') } as unknown as Engine;
/** The columns in the order of the statements: `notebooks.expires_at as expiresAt`. */
const columns = [...notebookColumns.map(column => column.split(/\.| as /).at(-1)!), 'etag', 'frames', 'br'];
const embedded = {
  ...server,
  sync: {
    state: () => 5,
    first: (statement: string, args: { slug: string }) => {
      asked.push(['first', statement, args]);
      const row = rows.find(row => (row as typeof one).slug === args.slug) as Record<string, unknown> | undefined;
      return row && columns.map(column => row[column]);
    },
  },
} as unknown as Engine;

describe('what a view reads from a server', () => {
  it('are records of many notebooks at once, before all that takes long', async () => {
    const { findNotebookBySlug, sync } = readViews(server, statements);
    expect(await Promise.all(['one', 'two', 'none', 'one'].map(findNotebookBySlug))).toStrictEqual([one, two, undefined, one]);
    expect([asked, sync]).toEqual([[['readRecords', 'bySlugs', { slugs: ['one', 'two', 'none'] }]], undefined]);
  });

  it('are first pages of many notebooks at once, of one build each, as are other pages', async () => {
    const { findViewed } = readViews(server, statements);
    const viewed = ['one', 'two', 'none'].map(slug => findViewed(slug, undefined, 'a build'));
    expect(await Promise.all(viewed)).toStrictEqual([
      { notebook: one, finished },
      { notebook: two, finished: undefined },
      undefined,
    ]);
    expect(asked.splice(0)).toEqual([['read', 'viewedOf', { slugs: ['one', 'two', 'none'], build: 'a build' }]]);
    await Promise.all([findViewed('one', undefined, 'another'), findViewed('two', undefined, 'another')]);
    expect(asked.splice(0)).toEqual([['read', 'viewedOf', { slugs: ['one', 'two'], build: 'another' }]]);
    expect(
      await Promise.all([
        ...[1, 2].map(() => findViewed('one', 'a page', 'a build')),
        findViewed('two', 'another page', 'a build'),
        findViewed('one', 'no page', 'a build'),
        // Another notebook's.
        findViewed('two', 'a page', 'a build'),
        findViewed('none', 'a page', 'a build'),
      ]),
    ).toStrictEqual([
      ...[1, 2].map(() => ({ notebook: one, finished })),
      { notebook: two, finished: undefined },
      { notebook: one, finished: undefined },
      { notebook: two, finished: undefined },
      undefined,
    ]);
    expect(asked).toEqual([
      ['read', 'viewedPages', { pages: ['a page', 'another page', 'no page'], build: 'a build' }],
      ['readRecords', 'bySlugs', { slugs: ['two', 'none', 'one'] }],
    ]);
  });
});

describe('what a view reads from a database in this process', () => {
  it('is read one by one, waiting or not', async () => {
    const { findNotebookBySlug, findViewed, sync } = readViews(embedded, statements);
    expect([await findNotebookBySlug('one'), await findNotebookBySlug('none')]).toStrictEqual([one, undefined]);
    expect(asked.splice(0)).toEqual([
      ['read', 'bySlug', { slug: 'one' }],
      ['read', 'bySlug', { slug: 'none' }],
    ]);
    expect([sync!.findNotebookBySlug('one'), sync!.findNotebookBySlug('none')]).toStrictEqual([one, undefined]);
    expect(sync!.state(true)).toBe(5);
    asked = [];
    const expected = { notebook: one, finished };
    expect([await findViewed('one', undefined, 'a build'), sync!.findViewed('one', undefined, 'a build')]).toStrictEqual([
      expected,
      expected,
    ]);
    expect(asked.splice(0).map(([, statement, args]) => [statement, args])).toEqual(
      Array.from({ length: 2 }, () => ['viewed', { slug: 'one', build: 'a build' }]),
    );
    expect([await findViewed('two', 'a page', 'a build'), sync!.findViewed('none', 'a page', 'a build')]).toStrictEqual([
      { notebook: two, finished: undefined },
      undefined,
    ]);
    expect(asked.map(([, statement, args]) => [statement, args])).toEqual(
      ['two', 'none'].map(slug => ['viewedPage', { slug, build: 'a build', page: 'a page' }]),
    );
  });
});

const flags = ['readOnly', 'burnAfterRead', 'openEditing', 'embedding', 'comments'] as const;

it.each(flags)('a record read in this process has every value in its place, %s alone being true', flag => {
  const record = {
    ...one,
    ...{ id: 'an id', title: 'a title', visibility: 'private', paper: 'grid' },
    ...{ passwordHash: 'a password', readerHash: 'a reader', editTokenHash: 'a token' },
    ...{ expiresAt: 1, openedAt: 2, takenDownAt: 3, createdAt: 4, updatedAt: 5, version: 6, markdownBytes: 7 },
    ...Object.fromEntries(flags.map(each => [each, each === flag])),
  };
  rows = [{ ...record, ...page }];
  const { sync } = readViews(embedded, statements);
  expect(sync!.findNotebookBySlug('one')).toStrictEqual(record);
  expect(sync!.findViewed('one', undefined, 'a build')).toStrictEqual({ notebook: record, finished });
});

describe('what a view reads from a file on a slow disk', () => {
  const withAhead = (isOn: boolean) => {
    const ahead = {
      isOn,
      timed: <Result>(read: () => Result) => {
        asked.push(['timed', '', {}]);
        return read();
      },
      prefetch: async ({ sql }: { sql: string }) => void asked.push(['prefetch', sql, {}]),
    };
    const compile = (name: string) => ({ with: (args: object) => ({ sql: `${name} ${JSON.stringify(args)}` }) });
    const compiled = { ...statements, finished: { viewed: compile('viewed'), viewedPage: compile('viewedPage') } };
    const { sync } = embedded;
    return readViews({ ...embedded, sync: { ...sync, ahead } } as unknown as Engine, compiled as unknown as Statements);
  };
  const steps = () => asked.splice(0).map(([how, statement]) => (how === 'prefetch' ? `${how} ${statement}` : how));

  it('is prefetched, waiting or not', async () => {
    const { findViewed, sync } = withAhead(true);
    expect(sync!.isSlow()).toBe(true);
    await findViewed('one', undefined, 'a build');
    expect(steps()).toEqual(['prefetch viewed {"slug":"one","build":"a build"}', 'read']);
    await findViewed('one', 'a page', 'a build');
    expect(steps()).toEqual(['prefetch viewedPage {"slug":"one","build":"a build","page":"a page"}', 'read']);
    await sync!.prefetchViewed('one', 'a page', 'a build');
    expect(steps()).toEqual(['prefetch viewedPage {"slug":"one","build":"a build","page":"a page"}']);
  });

  it('is timed, and not prefetched while that is quick', async () => {
    const { findViewed, sync } = withAhead(false);
    expect(sync!.isSlow()).toBe(false);
    await findViewed('one', undefined, 'a build');
    expect(steps()).toEqual(['read']);
    expect(sync!.findViewed('one', undefined, 'a build')?.notebook).toEqual(one);
    expect(steps()).toEqual(['timed', 'first']);
  });

  it('is neither from a database in memory', async () => {
    const { sync } = readViews(embedded, statements);
    expect(sync!.isSlow()).toBe(false);
    expect(await sync!.prefetchViewed('one', undefined, 'a build')).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe('bytes from a driver', () => {
  it('are not copied', () => {
    const buffer = Buffer.from([1]);
    expect(bufferOf(buffer)).toBe(buffer);
    expect(bufferOf(bytes)).toEqual(Buffer.from([1, 2]));
    expect(bufferOf(bytes).buffer).toBe(bytes.buffer);
  });
});
