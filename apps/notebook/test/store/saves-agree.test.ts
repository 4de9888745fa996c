import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.ts';
import type { ChangePageResult, Store } from '../../src/store/store.ts';
import { engines } from '../support/engines.ts';
import { aChange, atOnce, day, type Made, make, minute, newId, noon } from './contract/subject.ts';
import { type OpenSubject, openSubject } from './open-subject.ts';

// SQLite runs the rules of a save as a program, PostgreSQL as a function of its own: whatever is done, both must answer and hold the same,
// one save after the other or many at once.

interface Step {
  readonly by: 'owner' | 'visitor';
  readonly page: number;
  readonly after: number;
  readonly autosave: boolean;
  readonly text: string | undefined;
  readonly title: string | undefined;
  /** Added to the revision that was last seen; undefined: no `If-Match`. */
  readonly expects: number | undefined;
  readonly before: 'nothing' | 'open' | 'close' | 'lock' | 'unlock' | 'fill' | 'publish';
}

const often = <const Item>(item: Item, weight: number) => ({ arbitrary: fc.constant(item), weight });
const step: fc.Arbitrary<Step> = fc.record({
  by: fc.constantFrom('owner', 'visitor'),
  page: fc.oneof(often(0, 8), often(1, 3), often(2, 1)),
  after: fc.constantFrom(0, 1, minute, 5 * minute, 5 * minute + 1, day, day + 1),
  autosave: fc.boolean(),
  text: fc.option(fc.constantFrom('', 'one', 'two', 'zwölf 🍏', 'x'.repeat(300)), { nil: undefined }),
  title: fc.option(fc.constantFrom('', 'A title'), { nil: undefined, freq: 4 }),
  expects: fc.option(fc.oneof(often(0, 5), often(-1, 1)), { nil: undefined }),
  before: fc.oneof(
    often('nothing', 20),
    ...(['open', 'close', 'lock', 'unlock', 'fill', 'publish'] as const).map(it => often(it, 1)),
  ),
});

/** One world on one engine, and what it says. */
class World {
  readonly subject: OpenSubject;
  readonly made: Made;
  now = noon;
  readonly revisions = new Map<number, number>();

  constructor(subject: OpenSubject, made: Made) {
    this.subject = subject;
    this.made = made;
  }

  get store(): Store {
    return this.subject.store;
  }

  async take({ by, page, after, autosave, text, title, expects, before }: Step, number: number): Promise<unknown> {
    this.now += after;
    const { made, store, now } = this;
    if (before === 'open' || before === 'close') await store.changeSettings(made.owner, { openEditing: before === 'open' }, now);
    if (before === 'lock' || before === 'unlock') await store.changeSettings(made.owner, { readOnly: before === 'lock' }, now);
    if (before === 'publish') await store.changeSettings(made.owner, { visibility: 'public' }, now);
    const fill = 'UPDATE notebooks SET markdown_bytes = ? WHERE id = ?';
    if (before === 'fill') await this.subject.sql(fill, limits.maxNotebookBytes - 100, made.notebook.id);
    const expectedRevision = expects === undefined ? undefined : (this.revisions.get(page) ?? 1) + expects;
    const heading = text === undefined ? undefined : `heading ${number}`;
    const change = aChange({ markdown: text, heading, givenTitle: title, autosave, expectedRevision });
    const slot = { name: 'contentWrite', key: made.notebook.id, max: 25, windowSeconds: 600 };
    const pageId = made.pages[page]?.id ?? newId();
    const answer = await store.changePage(made[by], pageId, change, now, slot);
    if ('page' in answer) this.revisions.set(page, answer.page.revision);
    return this.#bare(answer);
  }

  async holds(): Promise<unknown> {
    const { notebook, pages } = this.made;
    const record = (await this.store.findNotebookBySlug(notebook.slug))!;
    const rows = await this.subject.sql(
      'SELECT page_id, revision, given_title, heading, created_at, bytes, by_owner, markdown FROM snapshots WHERE page_id IN (?, ?) ORDER BY revision',
      pages[0]!.id,
      pages[1]!.id,
    );
    const queued = await this.subject.sql('SELECT page_id FROM search_queue WHERE notebook_id = ?', notebook.id);
    return {
      notebook: { version: record.version, updatedAt: record.updatedAt, markdownBytes: record.markdownBytes },
      pages: (await this.store.listPages(notebook.id)).map(page => this.#withoutIds(page)),
      snapshots: rows
        .map(row => ({
          ...row,
          by_owner: Boolean(row.by_owner),
          created_at: Number(row.created_at),
          page_id: this.#place(row.page_id),
        }))
        .sort((a, b) => a.page_id - b.page_id),
      queued: queued.map(row => this.#place(row.page_id)).sort(),
    };
  }

  #bare(answer: ChangePageResult): unknown {
    return 'page' in answer ? { ...answer, page: this.#withoutIds(answer.page) } : answer;
  }

  #withoutIds<Held extends { id: string; notebookId: string }>({ id, notebookId, ...rest }: Held): unknown {
    return { ...rest, page: this.#place(id), own: notebookId === this.made.notebook.id };
  }

  #place(id: unknown): number {
    return this.made.pages.findIndex(page => page.id === id);
  }
}

describe('a save on SQLite and on PostgreSQL', () => {
  let subjects: OpenSubject[];
  beforeAll(async () => {
    subjects = await Promise.all(engines.map(engine => openSubject(engine)));
  });
  afterAll(() => Promise.all(subjects.map(subject => subject.close())));

  it('is answered alike and leaves the same behind, whatever came before it', { timeout: 300_000 }, async () => {
    const run = fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 32 }), async steps => {
      const worlds = await Promise.all(
        subjects.map(
          async subject => new World(subject, await make(subject.store, { openEditing: true }, ['of the owner', 'second'])),
        ),
      );
      const [one, two] = worlds;
      for (const [number, each] of steps.entries())
        expect(await two!.take(each, number)).toStrictEqual(await one!.take(each, number));
      expect(await two!.holds()).toStrictEqual(await one!.holds());
    });
    await fc.assert(run, { numRuns: 40 });
  });

  it('is answered alike when saves of several notebooks come at once, and spoils no other', { timeout: 300_000 }, async () => {
    const notebooks = 5;
    const rounds = fc.array(fc.array(step, { minLength: notebooks, maxLength: notebooks }), { minLength: 3, maxLength: 6 });
    const run = fc.asyncProperty(rounds, async rounds => {
      const worlds = await Promise.all(
        subjects.map(subject =>
          atOnce(notebooks, async () => new World(subject, await make(subject.store, { openEditing: true }, ['one', 'second']))),
        ),
      );
      for (const [number, steps] of rounds.entries()) {
        const [one, two] = await Promise.all(
          worlds.map(each => Promise.all(each.map((world, at) => world.take(steps[at]!, number)))),
        );
        expect(two).toStrictEqual(one);
      }
      const [one, two] = await Promise.all(worlds.map(each => Promise.all(each.map(world => world.holds()))));
      expect(two).toStrictEqual(one);
    });
    await fc.assert(run, { numRuns: 20 });
  });
});
