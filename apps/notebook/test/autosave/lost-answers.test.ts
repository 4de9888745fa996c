import { describe, expect, it } from 'vitest';
import { NoConnection } from '../../src/browser/api/api-client.ts';
import { AutosaveDesk, seconds } from './autosave-desk.ts';

const desk = AutosaveDesk.forEachTest();

describe('a save whose answer was lost', () => {
  it('is no conflict even when somebody wrote on top of it', async () => {
    desk.server.page = { ...desk.server.page, markdown: 'top\nmiddle\nend' };
    desk.open();
    desk.server.losesAnswers = true;
    desk.saver.change('top\nmiddle\nmine');
    await seconds(2);
    desk.server.losesAnswers = false;
    desk.server.page = {
      ...desk.server.page,
      markdown: `THEIRS\n\n${desk.server.page.markdown}`,
      revision: desk.server.page.revision + 1,
    };
    desk.saver.change('top\nmiddle\nmine, and on');
    await seconds(30);
    expect(desk.states).not.toContain('conflict');
    expect(desk.server.page.markdown).toBe('THEIRS\n\ntop\nmiddle\nmine, and on');
  });

  it('is known among several that were sent after it and did not arrive', async () => {
    desk.server.losesAnswers = true;
    desk.saver.change('arrived');
    await seconds(2);
    desk.server.losesAnswers = false;
    desk.server.fault = () => {
      throw new NoConnection('down');
    };
    for (const more of ['one', 'two', 'three']) {
      desk.saver.change(`arrived, and ${more}`);
      await seconds(20);
    }
    desk.server.fault = undefined;
    await seconds(60);
    expect(desk.states).not.toContain('conflict');
    expect(desk.server.page.markdown).toBe('arrived, and three');
  });

  it('that never arrived is not taken for the base: nothing of mine goes missing', async () => {
    desk.server.page = { ...desk.server.page, markdown: 'top\nmiddle\nend' };
    desk.open();
    desk.server.fault = () => {
      throw new NoConnection('down');
    };
    desk.saver.change('top\nmiddle\nend\nmine');
    await seconds(2);
    desk.server.fault = undefined;
    desk.server.page = { ...desk.server.page, markdown: 'THEIRS\nmiddle\nend', revision: 2 };
    desk.saver.change('top\nmiddle\nend\nmine\nand on');
    await seconds(30);
    expect(desk.server.page.markdown).toBe('THEIRS\nmiddle\nend\nmine\nand on');
  });

  it('is known by the draft after the tab died', async () => {
    desk.server.page = { ...desk.server.page, markdown: 'sent', revision: 2 };
    desk.open();
    const left = { markdown: 'sent, and on', baseRevision: 1, baseMarkdown: 'first', sent: ['sent', 'sent, and'] };
    expect(await desk.saver.adopt(left, desk.server.page)).toBe('restored');
    await seconds(3);
    expect(desk.server.page.markdown).toBe('sent, and on');
  });
});
