import { describe, expect, it } from 'vitest';
import * as merging from '../../src/browser/merge/merging.ts';
import { AutosaveDesk, refusal, seconds } from './autosave-desk.ts';

const desk = AutosaveDesk.forEachTest();

describe('the draft', () => {
  it('is kept before the server is asked, and until the server has acknowledged all of it', async () => {
    desk.server.delay = 1_000;
    desk.saver.change('one');
    expect(desk.draft).toEqual({ markdown: 'one', baseRevision: 1, baseMarkdown: 'first' });
    await seconds(2.5);
    desk.saver.change('two');
    await seconds(1);
    expect(desk.server.page.markdown).toBe('one');
    expect(desk.draft).toEqual({ markdown: 'two', baseRevision: 2, baseMarkdown: 'one' });
    await seconds(10);
    expect(desk.draft).toBeUndefined();
  });

  it('of a closed tab is saved when nobody changed the page since', async () => {
    expect(await desk.saver.adopt({ markdown: 'left behind', baseRevision: 1 }, desk.server.page)).toBe('restored');
    await seconds(2);
    expect(desk.server.page.markdown).toBe('left behind');
  });

  it('of a closed tab is a conflict when somebody did', async () => {
    desk.server.page = { ...desk.server.page, revision: 5, markdown: 'theirs' };
    desk.open();
    expect(await desk.saver.adopt({ markdown: 'left behind', baseRevision: 1 }, desk.server.page)).toBe('conflict');
    expect(desk.saver.state).toEqual({ kind: 'conflict', theirs: desk.server.page });
    await seconds(60);
    expect(desk.server.page.markdown).toBe('theirs');
  });
});

describe('the draft of a closed tab', () => {
  it('is merged with what was saved since', async () => {
    desk.server.page = { ...desk.server.page, markdown: 'THEIRS\nmiddle\nend', revision: 2 };
    desk.open();
    const left = { markdown: 'top\nmiddle\nMINE', baseRevision: 1, baseMarkdown: 'top\nmiddle\nend' };
    expect(await desk.saver.adopt(left, desk.server.page)).toBe('merged');
    await seconds(3);
    expect(desk.server.page.markdown).toBe('THEIRS\nmiddle\nMINE');
  });

  it('replaces nothing without a version of it', async () => {
    await desk.saver.adopt({ markdown: 'left behind', baseRevision: 1 }, desk.server.page);
    await seconds(2);
    expect(desk.server.requests).toMatchObject([{ markdown: 'left behind', autosave: false }]);
  });

  it('that changed nothing is forgotten', async () => {
    expect(await desk.saver.adopt({ markdown: 'old', baseRevision: 0, baseMarkdown: 'old' }, desk.server.page)).toBe('nothing');
    expect(desk.saver.text).toBe('first');
    expect(desk.draft).toBeUndefined();
  });
});

describe('a text that lost its page', () => {
  it('is sent nowhere and stays a draft, whatever is typed', async () => {
    desk.saver.change('mine');
    desk.saver.lose('page');
    desk.saver.change('mine, and on');
    await desk.saver.flush({ explicit: true });
    await seconds(60);
    expect(desk.server.requests).toEqual([]);
    expect(desk.draft?.markdown).toBe('mine, and on');
    expect(desk.saver.isUnsaved).toBe(true);
  });

  it.each([
    ['was refused', 404],
    ['was kept, a moment before', undefined],
    ['was overtaken', 412],
  ])('stays so when a save on its way %s', async (_how, status) => {
    desk.server.delay = 1_000;
    if (status) {
      desk.server.fault = () => {
        throw refusal(status, { page: { ...desk.server.page, markdown: 'theirs', revision: 9 } });
      };
    }
    desk.saver.change('mine');
    await seconds(2.5);
    desk.saver.lose('page');
    await seconds(60);
    expect(desk.saver.state).toEqual({ kind: 'lost', what: 'page' });
    expect(desk.saver.text).toBe('mine');
    expect(desk.draft?.markdown).toBe('mine');
    expect(desk.saver.isUnsaved).toBe(true);
    expect(desk.server.requests).toHaveLength(1);
  });

  it('stays so when a merge was under way', async () => {
    desk.open(
      { markdown: 'top\nend', revision: 1 },
      {
        loadMerging: async () => {
          desk.saver.lose('page');
          return merging;
        },
      },
    );
    desk.saver.change('top\nend, mine');
    desk.saver.receive({ ...desk.server.page, markdown: 'TOP\nend', revision: 2 });
    await seconds(60);
    expect(desk.saver.state.kind).toBe('lost');
    expect(desk.saver.text).toBe('top\nend, mine');
  });

  it('gets no other title', async () => {
    desk.saver.change('mine');
    desk.saver.lose('page');
    await expect(desk.saver.withRevision(async () => desk.server.page)).rejects.toThrow('cannot be saved any more');
    expect(desk.saver.state.kind).toBe('lost');
  });

  it('goes on when its link is back', async () => {
    desk.saver.change('mine');
    desk.saver.lose('notebook');
    desk.saver.recover();
    await seconds(3);
    expect(desk.server.page.markdown).toBe('mine');
  });
});
