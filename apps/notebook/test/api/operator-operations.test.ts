import { afterEach, beforeEach, expect, it } from 'vitest';
import { plainWithoutText } from '../../src/markdown/plain.ts';
import { keepRenderings } from '../../src/operations/keep-renderings.ts';
import { learnTextEndings } from '../../src/operations/learn-text-endings.ts';
import { listReports } from '../../src/operations/list-reports.ts';
import { takeDown } from '../../src/operations/take-down.ts';
import { minute, newId, noon } from '../store/contract/subject.ts';
import { type OpenParts, openParts } from '../support/parts-in-memory.ts';

let open: OpenParts;
beforeEach(async () => {
  open = await openParts();
});
afterEach(() => open.close());

it('a notebook is taken down as of now, and put back', async () => {
  const { notebook } = await open.keep();
  const takenDownAt = async () => (await open.parts.store.findNotebookBySlug(notebook.slug))!.takenDownAt;
  open.clock.now = noon + minute;
  expect(await takeDown(open.parts, notebook.slug)).toBe('changed');
  expect(await takenDownAt()).toBe(noon + minute);
  expect(await takeDown(open.parts, notebook.slug)).toBe('unchanged');
  expect(await takeDown(open.parts, notebook.slug, true)).toBe('changed');
  expect(await takenDownAt()).toBeNull();
  expect(await takeDown(open.parts, 'no-such-slug')).toBe('missing');
});

it('reports are listed, newest first', async () => {
  const { notebook } = await open.keep();
  const said = { notebookId: notebook.id, slug: notebook.slug, reason: 'spam', detail: '' } as const;
  for (const at of [1, 2]) await open.parts.store.addReport({ id: newId(), ...said, createdAt: noon + at });
  expect((await listReports(open.parts)).map(({ createdAt }) => createdAt)).toEqual([noon + 2, noon + 1]);
});

it('a text that ended a process twice is known as unsafe, until its page changes', async () => {
  const { pages } = await open.keep();
  const [{ id, revision }] = pages as [(typeof pages)[0]];
  const isUnsafe = async () => {
    await learnTextEndings(open.parts);
    return open.parts.texts.isUnsafe({ id, revision });
  };
  await open.parts.store.noteTextEnding({ id, revision, at: noon });
  expect(await isUnsafe()).toBe(false);
  await open.parts.store.noteTextEnding({ id, revision, at: noon + 1 });
  expect(await isUnsafe()).toBe(true);
  expect(open.parts.texts.isUnsafe({ id, revision: revision + 1 })).toBe(false);
});

it('every page that was written is rendered, and told when it is kept; one that fails or finds no place is nobody’s fault', async () => {
  const { notebook, pages } = await open.keep({}, ['# One', '# Two', '# Full', '# Three']);
  const rendered: string[] = [];
  const told: unknown[][] = [];
  const done = Promise.withResolvers<void>();
  const render = async (markdown: string) => {
    rendered.push(markdown);
    if (markdown === '# Two') throw new Error('no thread');
    if (markdown === '# Full') return plainWithoutText('busy');
    return { html: '', headings: [] };
  };
  const parts = {
    ...open.parts,
    renderer: { ...open.parts.renderer, engine: 'one', render: render as never },
    pageRendered: (...page: unknown[]) => {
      told.push(page);
      if (told.length === 2) done.resolve();
    },
  };
  keepRenderings(parts, notebook.slug, pages, undefined);
  await done.promise;
  expect(rendered.toSorted()).toEqual(['# Full', '# One', '# Three', '# Two']);
  expect(told.toSorted()).toEqual(
    [
      [notebook.slug, pages[0]!.id],
      [notebook.slug, pages[3]!.id],
    ].toSorted(),
  );
  // Where nobody is to be told, too.
  keepRenderings({ ...parts, pageRendered: undefined as never }, notebook.slug, pages.slice(0, 1), undefined);
  await new Promise(resolve => setImmediate(resolve));
});

it('of a notebook of many pages ten take their place in line in one turn of the event loop', async () => {
  const { notebook, pages } = await open.keep(
    {},
    Array.from({ length: 25 }, (_, at) => `# ${at}`),
  );
  let turn = 0;
  const inTurn: number[] = [];
  const done = Promise.withResolvers<void>();
  const count = () => {
    turn += 1;
    if (inTurn.length < 25) setImmediate(count);
  };
  setImmediate(count);
  const render = async () => {
    inTurn.push(turn);
    if (inTurn.length === 25) done.resolve();
    return { html: '', headings: [] };
  };
  const parts = { ...open.parts, renderer: { ...open.parts.renderer, engine: 'one', render } };
  keepRenderings(parts, notebook.slug, pages, undefined);
  await done.promise;
  expect([...Map.groupBy(inTurn, turn => turn).values()].map(({ length }) => length)).toEqual([10, 10, 5]);
});
