import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type DeletedPage, DeletedPages, restoreIndex } from './deleted-pages.ts';
import type { EditorPage } from './editor-page.ts';

const page = (id: string) => ({ id, key: id, title: id }) as EditorPage;
const deleted = (id: string, order: string): DeletedPage => ({ page: page(id), order: [...order] });

describe('a deleted page that comes back', () => {
  it.each([
    ['to its place', 'b', 'abc', 'ac', 1],
    ['to the top', 'a', 'abc', 'bc', 0],
    ['behind its neighbour, wherever that moved', 'b', 'abc', 'ca', 2],
    ['behind the nearest that is left', 'c', 'abcd', 'ad', 1],
    ['into a list of strangers, at the top', 'c', 'abcd', 'xy', 0],
  ])('goes %s', (_where, id, order, present, place) => {
    expect(restoreIndex(deleted(id, order), [...present])).toBe(place);
  });
});

describe('deleting pages', () => {
  const sent: string[] = [];
  const back: string[] = [];
  let refuse = false;
  let pages: DeletedPages;
  beforeEach(() => {
    vi.useFakeTimers();
    sent.length = 0;
    back.length = 0;
    refuse = false;
    pages = new DeletedPages({
      undoMillis: 10_000,
      carryOut: async ({ id }, { keepalive }) => {
        if (refuse) throw new Error('no');
        sent.push(keepalive ? `${id} at the last moment` : id);
      },
      putBack: ({ page: { id } }) => back.push(id),
      onChange: () => {},
    });
  });
  afterEach(() => vi.useRealTimers());

  it('asks the server only when the time is over', async () => {
    pages.add(deleted('b', 'abc'));
    await vi.advanceTimersByTimeAsync(9_999);
    expect(sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual(['b']);
    expect(pages.all).toEqual([]);
  });

  it('never asks for one that was taken back', async () => {
    pages.add(deleted('b', 'abc'));
    expect(pages.takeBack('b')?.page.id).toBe('b');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toEqual([]);
  });

  it('takes one back that got another id when it was saved', async () => {
    const one = deleted('b', 'abc');
    pages.add(one);
    one.page.id = 'named';
    pages.hold('named');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(pages.takeBack('named')?.page.key).toBe('b');
    expect([pages.all, sent]).toEqual([[], []]);
  });

  it('lets the time stand still while it is held', async () => {
    pages.add(deleted('b', 'abc'));
    pages.hold('b');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toEqual([]);
    pages.release('b');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sent).toEqual(['b']);
  });

  it('carries all out when the window goes, each once', async () => {
    pages.add(deleted('a', 'abc'));
    pages.add(deleted('b', 'abc'));
    await pages.carryOutAll({ keepalive: true });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toEqual(['a at the last moment', 'b at the last moment']);
  });

  it('puts back what the server did not delete', async () => {
    refuse = true;
    pages.add(deleted('b', 'abc'));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(back).toEqual(['b']);
  });
});
