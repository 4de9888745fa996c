import { describe, expect, it } from 'vitest';
import * as merging from '../../src/browser/merge/merging.ts';
import { AutosaveSetup, refusal, seconds } from './autosave-setup.ts';

const setup = AutosaveSetup.forEachTest();

describe('the draft', () => {
  it('is kept before the server is asked, and until the server has acknowledged all of it', async () => {
    setup.server.delay = 1_000;
    setup.saver.change('one');
    expect(setup.draft).toEqual({ markdown: 'one', baseRevision: 1, baseMarkdown: 'first' });
    await seconds(2.5);
    setup.saver.change('two');
    await seconds(1);
    expect(setup.server.page.markdown).toBe('one');
    expect(setup.draft).toEqual({ markdown: 'two', baseRevision: 2, baseMarkdown: 'one' });
    await seconds(10);
    expect(setup.draft).toBeUndefined();
  });

  it('of a closed tab is saved when nobody changed the page since', async () => {
    expect(await setup.saver.adopt({ markdown: 'left behind', baseRevision: 1 }, setup.server.page)).toBe('restored');
    await seconds(2);
    expect(setup.server.page.markdown).toBe('left behind');
  });

  it('of a closed tab is a conflict when another person did', async () => {
    setup.server.page = { ...setup.server.page, revision: 5, markdown: 'theirs' };
    setup.open();
    expect(await setup.saver.adopt({ markdown: 'left behind', baseRevision: 1 }, setup.server.page)).toBe('conflict');
    expect(setup.saver.state).toEqual({ kind: 'conflict', theirs: setup.server.page });
    await seconds(60);
    expect(setup.server.page.markdown).toBe('theirs');
  });
});

describe('the draft of a closed tab', () => {
  it('is merged with what was saved since', async () => {
    setup.server.page = { ...setup.server.page, markdown: 'THEIRS\nmiddle\nend', revision: 2 };
    setup.open();
    const left = { markdown: 'top\nmiddle\nMINE', baseRevision: 1, baseMarkdown: 'top\nmiddle\nend' };
    expect(await setup.saver.adopt(left, setup.server.page)).toBe('merged');
    await seconds(3);
    expect(setup.server.page.markdown).toBe('THEIRS\nmiddle\nMINE');
  });

  it('stays as it is where only an older copy of its page is there', async () => {
    setup.open({ markdown: 'first', revision: 1 });
    setup.server.page = { ...setup.server.page, markdown: 'first, saved', revision: 2 };
    const copy = { ...setup.server.page, markdown: 'first', revision: 1 };
    const left = { markdown: 'first, saved, and on', baseRevision: 2, baseMarkdown: 'first, saved' };
    expect(await setup.saver.adopt(left, copy)).toBe('restored');
    expect(setup.saver.text).toBe('first, saved, and on');
    await seconds(3);
    expect(setup.states).not.toContain('conflict');
    expect(setup.server.requests).toMatchObject([{ markdown: 'first, saved, and on', baseRevision: 2 }]);
  });

  it('replaces nothing without a version of it', async () => {
    await setup.saver.adopt({ markdown: 'left behind', baseRevision: 1 }, setup.server.page);
    await seconds(2);
    expect(setup.server.requests).toMatchObject([{ markdown: 'left behind', autosave: false }]);
  });

  it('that changed nothing is forgotten', async () => {
    expect(await setup.saver.adopt({ markdown: 'old', baseRevision: 0, baseMarkdown: 'old' }, setup.server.page)).toBe('nothing');
    expect(setup.saver.text).toBe('first');
    expect(setup.draft).toBeUndefined();
  });
});

describe('a text that lost its page', () => {
  it('is sent nowhere and stays a draft, whatever is typed', async () => {
    setup.saver.change('mine');
    setup.saver.lose('page');
    setup.saver.change('mine, and on');
    await setup.saver.flush({ explicit: true });
    await seconds(60);
    expect(setup.server.requests).toEqual([]);
    expect(setup.draft?.markdown).toBe('mine, and on');
    expect(setup.saver.isUnsaved).toBe(true);
  });

  it.each([
    ['was refused', 404],
    ['was kept, a moment before', undefined],
    ['was overtaken', 412],
  ])('stays so when a save on its way %s', async (_how, status) => {
    setup.server.delay = 1_000;
    if (status) {
      setup.server.fault = () => {
        throw refusal(status, { page: { ...setup.server.page, markdown: 'theirs', revision: 9 } });
      };
    }
    setup.saver.change('mine');
    await seconds(2.5);
    setup.saver.lose('page');
    await seconds(60);
    expect(setup.saver.state).toEqual({ kind: 'lost', what: 'page' });
    expect(setup.saver.text).toBe('mine');
    expect(setup.draft?.markdown).toBe('mine');
    expect(setup.saver.isUnsaved).toBe(true);
    expect(setup.server.requests).toHaveLength(1);
  });

  it('stays so when a merge was under way', async () => {
    setup.open(
      { markdown: 'top\nend', revision: 1 },
      {
        loadMerging: async () => {
          setup.saver.lose('page');
          return merging;
        },
      },
    );
    setup.saver.change('top\nend, mine');
    setup.saver.receive({ ...setup.server.page, markdown: 'TOP\nend', revision: 2 });
    await seconds(60);
    expect(setup.saver.state.kind).toBe('lost');
    expect(setup.saver.text).toBe('top\nend, mine');
  });

  it('gets no other title', async () => {
    setup.saver.change('mine');
    setup.saver.lose('page');
    await expect(setup.saver.withRevision(async () => setup.server.page)).rejects.toThrow('cannot be saved any more');
    expect(setup.saver.state.kind).toBe('lost');
  });

  it('goes on when its link is back', async () => {
    setup.saver.change('mine');
    setup.saver.lose('notebook');
    setup.saver.recover();
    await seconds(3);
    expect(setup.server.page.markdown).toBe('mine');
  });
});
