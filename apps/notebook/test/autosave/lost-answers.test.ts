import { describe, expect, it } from 'vitest';
import { NoConnection } from '../../src/browser/api/api-client.ts';
import { AutosaveSetup, seconds } from './autosave-setup.ts';

const setup = AutosaveSetup.forEachTest();

describe('a save whose answer was lost', () => {
  it('is no conflict even when somebody wrote on top of it', async () => {
    setup.server.page = { ...setup.server.page, markdown: 'top\nmiddle\nend' };
    setup.open();
    setup.server.losesAnswers = true;
    setup.saver.change('top\nmiddle\nmine');
    await seconds(2);
    setup.server.losesAnswers = false;
    setup.server.page = {
      ...setup.server.page,
      markdown: `THEIRS\n\n${setup.server.page.markdown}`,
      revision: setup.server.page.revision + 1,
    };
    setup.saver.change('top\nmiddle\nmine, and on');
    await seconds(30);
    expect(setup.states).not.toContain('conflict');
    expect(setup.server.page.markdown).toBe('THEIRS\n\ntop\nmiddle\nmine, and on');
  });

  it('is known among several that were sent after it and did not arrive', async () => {
    setup.server.losesAnswers = true;
    setup.saver.change('arrived');
    await seconds(2);
    setup.server.losesAnswers = false;
    setup.server.fault = () => {
      throw new NoConnection('down');
    };
    for (const more of ['one', 'two', 'three']) {
      setup.saver.change(`arrived, and ${more}`);
      await seconds(20);
    }
    setup.server.fault = undefined;
    await seconds(60);
    expect(setup.states).not.toContain('conflict');
    expect(setup.server.page.markdown).toBe('arrived, and three');
  });

  it('that never arrived is not taken for the base: nothing of mine goes missing', async () => {
    setup.server.page = { ...setup.server.page, markdown: 'top\nmiddle\nend' };
    setup.open();
    setup.server.fault = () => {
      throw new NoConnection('down');
    };
    setup.saver.change('top\nmiddle\nend\nmine');
    await seconds(2);
    setup.server.fault = undefined;
    setup.server.page = { ...setup.server.page, markdown: 'THEIRS\nmiddle\nend', revision: 2 };
    setup.saver.change('top\nmiddle\nend\nmine\nand on');
    await seconds(30);
    expect(setup.server.page.markdown).toBe('THEIRS\nmiddle\nend\nmine\nand on');
  });

  it('is known by the draft after the tab died', async () => {
    setup.server.page = { ...setup.server.page, markdown: 'sent', revision: 2 };
    setup.open();
    const left = { markdown: 'sent, and on', baseRevision: 1, baseMarkdown: 'first', sent: ['sent', 'sent, and'] };
    expect(await setup.saver.adopt(left, setup.server.page)).toBe('restored');
    await seconds(3);
    expect(setup.server.page.markdown).toBe('sent, and on');
  });
});
