import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiPage } from '../../src/browser/api/api-types.ts';
import * as merging from '../../src/browser/merge/merging.ts';
import { AutosaveDesk, seconds } from './autosave-desk.ts';

const desk = AutosaveDesk.forEachTest();

describe('a stale save', () => {
  beforeEach(async () => {
    desk.server.page = { ...desk.server.page, revision: 2, markdown: 'theirs' };
    desk.saver.change('mine');
    await seconds(2);
  });

  it('overwrites nothing and shows theirs, whatever is typed after', async () => {
    expect(desk.saver.state).toMatchObject({ kind: 'conflict', theirs: { markdown: 'theirs' } });
    desk.saver.change('mine, still writing');
    await seconds(60);
    await desk.saver.flush({ explicit: true });
    expect(desk.server.page.markdown).toBe('theirs');
    expect(desk.server.requests).toHaveLength(1);
    expect(desk.draft?.markdown).toBe('mine, still writing');
    expect(desk.saver.isUnsaved).toBe(true);
  });

  it('keep mine: saves over theirs, not as an automatic save, so that theirs becomes a snapshot', async () => {
    await desk.saver.keepMine();
    expect(desk.server.requests.at(-1)).toMatchObject({ markdown: 'mine', baseRevision: 2, autosave: false });
    expect(desk.server.page.markdown).toBe('mine');
    expect(desk.saver.state.kind).toBe('saved');
  });

  it('keep theirs: takes their text and sends nothing', async () => {
    const sent = desk.server.requests.length;
    desk.saver.take(desk.server.page);
    await seconds(60);
    expect(desk.saver.text).toBe('theirs');
    expect(desk.draft).toBeUndefined();
    expect(desk.server.requests).toHaveLength(sent);
  });

  it('keep mine, and somebody saved again meanwhile: asks again', async () => {
    desk.server.page = { ...desk.server.page, revision: 9, markdown: 'theirs again' };
    await desk.saver.keepMine();
    expect(desk.saver.state).toMatchObject({ kind: 'conflict', theirs: { markdown: 'theirs again' } });
    expect(desk.server.page.markdown).toBe('theirs again');
  });
});

describe('a stale save whose changes do not overlap', () => {
  beforeEach(async () => {
    desk.server.page = { ...desk.server.page, markdown: 'top\nmiddle\nend' };
    desk.open();
    desk.server.page = { ...desk.server.page, revision: 2, markdown: 'THEIRS\nmiddle\nend' };
  });

  it('is merged, said so, and saved by itself', async () => {
    desk.saver.change('top\nmiddle\nMINE');
    await seconds(5);
    expect(desk.merges).toBe(1);
    expect(desk.saver.text).toBe('THEIRS\nmiddle\nMINE');
    expect(desk.server.page).toMatchObject({ markdown: 'THEIRS\nmiddle\nMINE', revision: 3 });
    expect(desk.saver.state.kind).toBe('saved');
    expect(desk.draft).toBeUndefined();
  });

  it('with what was typed while the code for it was fetched', async () => {
    desk.open(
      { markdown: 'top\nmiddle\nend', revision: 1 },
      {
        loadMerging: async () => {
          desk.saver.change('top\nmiddle\nMINE and more');
          return merging;
        },
      },
    );
    desk.saver.change('top\nmiddle\nMINE');
    await seconds(5);
    expect(desk.server.page.markdown).toBe('THEIRS\nmiddle\nMINE and more');
  });

  it('is the writer’s choice when that code cannot be fetched', async () => {
    desk.open({ markdown: 'top\nmiddle\nend', revision: 1 }, { loadMerging: () => Promise.reject(new Error('gone')) });
    desk.saver.change('top\nmiddle\nMINE');
    await seconds(5);
    expect(desk.saver.state.kind).toBe('conflict');
    expect(desk.server.page.markdown).toBe('THEIRS\nmiddle\nend');
  });

  it('keeps the draft with the new base until it is saved', async () => {
    desk.saver.change('top\nmiddle\nMINE');
    await seconds(2);
    expect(desk.draft).toMatchObject({ markdown: 'THEIRS\nmiddle\nMINE', baseRevision: 2, baseMarkdown: 'THEIRS\nmiddle\nend' });
  });
});

describe('keep both', () => {
  it('saves one text with both versions, as a save that was asked for', async () => {
    desk.server.page = { ...desk.server.page, revision: 2, markdown: 'theirs' };
    desk.saver.change('mine');
    await seconds(2);
    await desk.saver.keepBoth();
    expect(desk.server.page.markdown).toMatch(/mine[\s\S]*theirs/);
    expect(desk.server.requests.at(-1)).toMatchObject({ baseRevision: 2, autosave: false });
    expect(desk.saver.state.kind).toBe('saved');
  });
});

describe('what another tab saved', () => {
  const theirs = (markdown: string, revision = 2): ApiPage => {
    desk.server.page = { ...desk.server.page, markdown, revision };
    return desk.server.page;
  };

  it('is shown where nothing is unsaved, and nothing is sent', async () => {
    desk.saver.receive(theirs('newer'));
    expect(desk.saver.text).toBe('newer');
    await seconds(20);
    expect(desk.server.requests).toEqual([]);
    desk.saver.change('newer, and mine');
    await seconds(2);
    expect(desk.server.page.markdown).toBe('newer, and mine');
  });

  it('and is older than what is here is passed over', () => {
    desk.saver.receive(theirs('older', 1));
    expect(desk.saver.text).toBe('first');
  });

  it('waits while an input method composes', async () => {
    desk.saver.hold();
    desk.saver.receive(theirs('newer'));
    expect(desk.saver.text).toBe('first');
    desk.saver.release();
    expect(desk.saver.text).toBe('newer');
  });

  it('while a save of mine is on its way, is merged after it', async () => {
    desk.server.delay = 1_000;
    desk.saver.change('mine\nfirst');
    await seconds(2.5);
    const before = desk.server.page;
    desk.saver.receive({ ...before, markdown: 'first\ntheirs', revision: 3 });
    desk.server.page = { ...before, markdown: 'first\ntheirs', revision: 3 };
    await seconds(10);
    expect(desk.server.page.markdown).toBe('mine\nfirst\ntheirs');
    expect(desk.saver.text).toBe('mine\nfirst\ntheirs');
  });
});
