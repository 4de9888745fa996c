import { beforeEach, describe, expect, it } from 'vitest';
import { TextTracker } from '../../model/text-tracker.ts';
import { DatabaseUnavailable } from '../database-unavailable.ts';
import type { Engine } from '../engine.ts';
import type { Statements } from '../statements.ts';
import { indexNextPage } from './index-next-page.ts';
import type { Followed } from './search-index.ts';

const noon = Date.UTC(2026, 2, 1, 12);
const one = { pageId: 'page one', number: 7, notebookId: 'notebook one', tries: 0 };
const two = { pageId: 'page two', number: 3, notebookId: 'notebook two', tries: 4 };

/** The database's rows, by the name of the statement. */
let rows: Record<string, unknown[]>;
let asked: unknown[];
let follow: () => Promise<Followed>;
let texts: TextTracker;
beforeEach(() => {
  rows = { after: [one], first: [two], revision: [{ revision: 5 }], done: [{ number: 7 }] };
  asked = [];
  follow = async () => 'in';
  texts = new TextTracker();
});

const statements = {
  queue: {
    after: 'after',
    first: 'first',
    revision: 'revision',
    postpone: 'postpone',
    done: { with: (args: object) => ['done', args] },
  },
  search: { note: ({ pageId }: { pageId: string }, followed: string) => [['note', pageId, followed]] },
} as unknown as Statements;

const engine = {
  search: {
    open: async () => void asked.push('open'),
    follow: (queued: object, isSearched: boolean) => {
      asked.push(['follow', (queued as typeof one).pageId, isSearched]);
      return follow();
    },
  },
  read: async (name: string, args: object) => {
    asked.push([name, args]);
    return rows[name];
  },
  run: async (name: string, args: object) => void asked.push([name, args]),
  write: async (work: () => Iterator<unknown, unknown, unknown>) => {
    const steps = work();
    for (let step = steps.next(); !step.done; step = steps.next(rows[(step.value as [string])[0]])) asked.push(step.value);
  },
} as unknown as Engine;

const next = () => indexNextPage(engine, statements, texts, 'notebook zero', noon);
const given = { notebook: 'notebook zero', now: noon };
const finished = ['done', { page: one.pageId, number: 7 }];

describe('the next page of the queue', () => {
  it('is of the notebook after the last one, is followed, and leaves the queue', async () => {
    expect(await next()).toEqual({ notebookId: one.notebookId });
    expect(asked).toEqual([
      'open',
      ['after', given],
      ['revision', { page: one.pageId }],
      ['follow', one.pageId, true],
      finished,
      ['note', one.pageId, 'in'],
    ]);
  });

  it('is of the first notebook when there is none after, and none when the queue is empty', async () => {
    rows.after = [];
    expect(await next()).toEqual({ notebookId: two.notebookId });
    expect(asked.slice(1, 3)).toEqual([
      ['after', given],
      ['first', given],
    ]);
    rows.first = [];
    expect(await next()).toBeUndefined();
  });

  it('is not searched when its text ended the process, and is when the text is another by now', async () => {
    texts.setUnsafe([{ id: one.pageId, revision: 5 }]);
    follow = async () => 'out';
    await next();
    expect(asked.slice(3)).toEqual([['follow', one.pageId, false], finished, ['note', one.pageId, 'out']]);
    texts.setUnsafe([{ id: one.pageId, revision: 4 }]);
    await next();
    expect(asked).toContainEqual(['follow', one.pageId, true]);
  });

  it('is followed out when it is gone', async () => {
    rows.revision = [];
    texts.setUnsafe([{ id: one.pageId, revision: 5 }]);
    await next();
    expect(asked).toContainEqual(['follow', one.pageId, true]);
  });

  it('stays in the queue when it was queued again meanwhile', async () => {
    follow = async () => 'late';
    expect(await next()).toEqual({ notebookId: one.notebookId });
    expect(asked.at(-1)).toEqual(['follow', one.pageId, true]);
    follow = async () => 'in';
    rows.done = [];
    await next();
    // The page now belongs to another turn, so nothing is noted.
    expect(asked.at(-1)).toEqual(finished);
  });

  it('that cannot be indexed waits, longer each time, and the failure is told', async () => {
    const error = new Error('refused');
    follow = () => Promise.reject(error);
    expect(await next()).toEqual({
      notebookId: one.notebookId,
      failure: { pageId: one.pageId, tries: 1, waitMs: 2_000, error },
    });
    expect(asked.at(-1)).toEqual(['postpone', { page: one.pageId, number: 7, until: noon + 2_000 }]);
    rows.after = [two];
    expect(await next()).toMatchObject({ failure: { tries: 5, waitMs: 32_000 } });
    for (const tries of [9, 2_000]) {
      rows.after = [{ ...two, tries }];
      expect(await next()).toMatchObject({ failure: { tries: tries + 1, waitMs: 600_000 } });
    }
  });

  it('waits, too, when the database does not work, and that is the caller’s to know', async () => {
    const outage = new DatabaseUnavailable(new Error('disk I/O error'));
    follow = () => Promise.reject(outage);
    await expect(next()).rejects.toBe(outage);
    expect(asked.at(-1)).toEqual(['postpone', { page: one.pageId, number: 7, until: noon + 2_000 }]);
  });
});
