import { beforeEach, describe, expect, it } from 'vitest';
import type { ApiPage } from '../../src/api/types.ts';
import * as merging from '../../src/browser/merge/merging.ts';
import { AutosaveSetup, seconds } from './autosave-setup.ts';

const setup = AutosaveSetup.forEachTest();

describe('a stale save', () => {
  beforeEach(async () => {
    setup.server.page = { ...setup.server.page, revision: 2, markdown: 'theirs' };
    setup.saver.change('mine');
    await seconds(2);
  });

  it('overwrites nothing and shows theirs, whatever is typed after', async () => {
    expect(setup.saver.state).toMatchObject({ kind: 'conflict', theirs: { markdown: 'theirs' } });
    setup.saver.change('mine, still writing');
    await seconds(60);
    await setup.saver.flush({ explicit: true });
    expect(setup.server.page.markdown).toBe('theirs');
    expect(setup.server.requests).toHaveLength(1);
    expect(setup.draft?.markdown).toBe('mine, still writing');
    expect(setup.saver.isUnsaved).toBe(true);
  });

  it('keep mine: saves over theirs, not as an automatic save, so that theirs becomes a snapshot', async () => {
    await setup.saver.keepMine();
    expect(setup.server.requests.at(-1)).toMatchObject({ markdown: 'mine', baseRevision: 2, autosave: false });
    expect(setup.server.page.markdown).toBe('mine');
    expect(setup.saver.state.kind).toBe('saved');
  });

  it('keep theirs: takes their text and sends nothing', async () => {
    const sent = setup.server.requests.length;
    setup.saver.replaceWith(setup.server.page);
    await seconds(60);
    expect(setup.saver.text).toBe('theirs');
    expect(setup.draft).toBeUndefined();
    expect(setup.server.requests).toHaveLength(sent);
  });

  it('keep mine, and another person saved again meanwhile: asks again', async () => {
    setup.server.page = { ...setup.server.page, revision: 9, markdown: 'theirs again' };
    await setup.saver.keepMine();
    expect(setup.saver.state).toMatchObject({ kind: 'conflict', theirs: { markdown: 'theirs again' } });
    expect(setup.server.page.markdown).toBe('theirs again');
  });
});

describe('a stale save whose changes do not overlap', () => {
  beforeEach(async () => {
    setup.server.page = { ...setup.server.page, markdown: 'top\nmiddle\nend' };
    setup.open();
    setup.server.page = { ...setup.server.page, revision: 2, markdown: 'THEIRS\nmiddle\nend' };
  });

  it('is merged, said so, and saved by itself', async () => {
    setup.saver.change('top\nmiddle\nMINE');
    await seconds(5);
    expect(setup.merges).toBe(1);
    expect(setup.saver.text).toBe('THEIRS\nmiddle\nMINE');
    expect(setup.server.page).toMatchObject({ markdown: 'THEIRS\nmiddle\nMINE', revision: 3 });
    expect(setup.saver.state.kind).toBe('saved');
    expect(setup.draft).toBeUndefined();
  });

  it('with what was typed while the code for it was fetched', async () => {
    setup.open(
      { markdown: 'top\nmiddle\nend', revision: 1 },
      {
        loadMerging: async () => {
          setup.saver.change('top\nmiddle\nMINE and more');
          return merging;
        },
      },
    );
    setup.saver.change('top\nmiddle\nMINE');
    await seconds(5);
    expect(setup.server.page.markdown).toBe('THEIRS\nmiddle\nMINE and more');
  });

  it('is the writer’s choice when that code cannot be fetched', async () => {
    setup.open({ markdown: 'top\nmiddle\nend', revision: 1 }, { loadMerging: () => Promise.reject(new Error('gone')) });
    setup.saver.change('top\nmiddle\nMINE');
    await seconds(5);
    expect(setup.saver.state.kind).toBe('conflict');
    expect(setup.server.page.markdown).toBe('THEIRS\nmiddle\nend');
  });

  it('keeps the draft with the new base until it is saved', async () => {
    setup.saver.change('top\nmiddle\nMINE');
    await seconds(2);
    expect(setup.draft).toMatchObject({ markdown: 'THEIRS\nmiddle\nMINE', baseRevision: 2, baseMarkdown: 'THEIRS\nmiddle\nend' });
  });
});

describe('keep both', () => {
  it('saves one text with both versions, as a save that was asked for', async () => {
    setup.server.page = { ...setup.server.page, revision: 2, markdown: 'theirs' };
    setup.saver.change('mine');
    await seconds(2);
    await setup.saver.keepBoth();
    expect(setup.server.page.markdown).toMatch(/mine[\s\S]*theirs/);
    expect(setup.server.requests.at(-1)).toMatchObject({ baseRevision: 2, autosave: false });
    expect(setup.saver.state.kind).toBe('saved');
  });
});

describe('what another tab saved', () => {
  const theirs = (markdown: string, revision = 2): ApiPage => {
    setup.server.page = { ...setup.server.page, markdown, revision };
    return setup.server.page;
  };

  it('is shown where nothing is unsaved, and nothing is sent', async () => {
    setup.saver.receive(theirs('newer'));
    expect(setup.saver.text).toBe('newer');
    await seconds(20);
    expect(setup.server.requests).toEqual([]);
    setup.saver.change('newer, and mine');
    await seconds(2);
    expect(setup.server.page.markdown).toBe('newer, and mine');
  });

  it('and is older than what is here is passed over', () => {
    setup.saver.receive(theirs('older', 1));
    expect(setup.saver.text).toBe('first');
  });

  it('waits while an input method composes', async () => {
    setup.saver.hold();
    setup.saver.receive(theirs('newer'));
    expect(setup.saver.text).toBe('first');
    setup.saver.release();
    expect(setup.saver.text).toBe('newer');
  });

  it('waits while an input method composes, also where a refused save tells of it', async () => {
    setup.server.delay = 1_000;
    setup.saver.change('mine');
    await seconds(2.5);
    theirs('newer');
    setup.saver.hold();
    // Nothing of mine is unsaved, and yet the field is being written in.
    setup.saver.change('first');
    await seconds(10);
    expect(setup.server.requests).toHaveLength(1);
    expect(setup.saver.text).toBe('first');
    setup.saver.release();
    await seconds(1);
    expect(setup.saver.text).toBe('newer');
  });

  it('while a save of mine is on its way, is merged after it', async () => {
    setup.server.delay = 1_000;
    setup.saver.change('mine\nfirst');
    await seconds(2.5);
    const before = setup.server.page;
    setup.saver.receive({ ...before, markdown: 'first\ntheirs', revision: 3 });
    setup.server.page = { ...before, markdown: 'first\ntheirs', revision: 3 };
    await seconds(10);
    expect(setup.server.page.markdown).toBe('mine\nfirst\ntheirs');
    expect(setup.saver.text).toBe('mine\nfirst\ntheirs');
  });
});

describe('a server that was restored from a backup has less than it acknowledged', () => {
  const newest = 'top\nmiddle\nsaved after the backup';
  beforeEach(async () => {
    setup.server.page = { ...setup.server.page, markdown: newest, revision: 7 };
    setup.open();
    setup.server.page = { ...setup.server.page, markdown: 'top\nmiddle', revision: 5 };
    setup.saver.change(`${newest}\nmine`);
    await seconds(2);
  });

  it('and the next save takes none of it away, but asks', () => {
    expect(setup.saver.text).toBe(`${newest}\nmine`);
    expect(setup.saver.state.kind).toBe('conflict');
    expect(setup.draft?.markdown).toBe(`${newest}\nmine`);
  });

  it.each(['keepMine', 'keepBoth'] as const)('%s gives it to the server again', async choice => {
    await setup.saver[choice]();
    await seconds(2);
    expect(setup.server.page.markdown).toBe(`${newest}\nmine`);
    expect(setup.saver.state.kind).toBe('saved');
  });
});

describe('such a server, and a window in which nobody writes', () => {
  const open = async (markdown: string) => {
    setup.server.page = { ...setup.server.page, markdown: 'saved after the backup', revision: 7 };
    setup.open();
    setup.server.page = { ...setup.server.page, markdown, revision: 5 };
    setup.saver.receive(setup.server.page, true);
    await seconds(0);
  };

  it('asks as soon as it hears of it: its text is nowhere else', async () => {
    await open('from the backup');
    expect(setup.saver.state).toMatchObject({ kind: 'conflict', theirs: { markdown: 'from the backup' } });
    expect(setup.saver.text).toBe('saved after the backup');
    expect(setup.draft?.markdown).toBe('saved after the backup');
    await setup.saver.keepMine();
    expect(setup.server.page.markdown).toBe('saved after the backup');
  });

  it('goes on from there when the text is the same', async () => {
    await open('saved after the backup');
    expect(setup.saver.state.kind).toBe('saved');
    setup.saver.change('and more');
    await seconds(2);
    expect(setup.server.requests.map(({ baseRevision }) => baseRevision)).toEqual([5]);
    expect(setup.saver.state.kind).toBe('saved');
  });
});

it('keep both, and the merging code cannot be fetched: one text comes after the other', async () => {
  setup.open(setup.server.page, { loadMerging: () => Promise.reject(new Error('not fetched')) });
  setup.server.page = { ...setup.server.page, revision: 2, markdown: 'theirs' };
  setup.saver.change('mine');
  await seconds(2);
  await setup.saver.keepBoth();
  expect(setup.server.page.markdown).toBe('mine\n\ntheirs');
});
