import { beforeEach, describe, expect, it } from 'vitest';
import { NoConnection } from '../../src/browser/api/api-client.ts';
import { AutosaveSetup, seconds } from './autosave-setup.ts';

const setup = AutosaveSetup.forEachTest();

describe('a save whose answer was lost', () => {
  it('is no conflict even when another person wrote on top of it', async () => {
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

  it('that arrives after its closed tab was taken up is no conflict', async () => {
    const left = { markdown: 'first, sent', baseRevision: 1, baseMarkdown: 'first', sent: ['first, sent'] };
    expect(await setup.saver.adopt(left, setup.server.page)).toBe('restored');
    setup.server.page = { ...setup.server.page, markdown: 'first, sent', revision: 2 };
    setup.saver.change('first, sent, and on');
    await seconds(30);
    expect(setup.states).not.toContain('conflict');
    expect(setup.server.page.markdown).toBe('first, sent, and on');
  });

  it('that arrives late does not bring back words that were deleted since, in a tab that is closed', async () => {
    const left = { markdown: 'first', baseRevision: 1, baseMarkdown: 'first', sent: ['first, sent'] };
    await setup.saver.adopt(left, setup.server.page);
    setup.server.page = { ...setup.server.page, markdown: 'first, sent', revision: 2 };
    await seconds(30);
    expect(setup.server.page.markdown).toBe('first');
    expect(setup.draft).toBeUndefined();
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

describe('words that may have arrived and were deleted again', () => {
  const [words, secret] = ['top\n\nend', 'top\n\nend, a secret'];
  beforeEach(async () => {
    setup.server.page = { ...setup.server.page, markdown: words };
    setup.open();
    setup.server.losesAnswers = true;
    setup.saver.change(secret);
    await seconds(2);
    expect(setup.saver.state.kind).toBe('waiting');
    setup.server.losesAnswers = false;
    setup.saver.change(words);
  });

  it('do not stay on the server, and nothing is called saved before', async () => {
    expect(setup.saver.isUnsaved).toBe(true);
    expect(setup.draft).toEqual({ markdown: words, baseRevision: 1, baseMarkdown: words, sent: [secret] });
    await seconds(10);
    expect(setup.server.page.markdown).toBe(words);
    expect([setup.saver.state.kind, setup.saver.text, setup.draft]).toEqual(['saved', words, undefined]);
  });

  it('do not come back when the page is read before the next try', async () => {
    setup.saver.receive(setup.server.page);
    await seconds(10);
    expect([setup.server.page.markdown, setup.saver.text]).toEqual([words, words]);
  });

  it('do not stay there when the tab dies', async () => {
    const left = setup.draft!;
    setup.saver.stop();
    setup.open();
    expect(await setup.saver.adopt(left, setup.server.page)).toBe('restored');
    await seconds(3);
    expect([setup.server.page.markdown, setup.saver.text]).toEqual([words, words]);
  });

  it('and never arrived: the server is asked once, and keeps what it has', async () => {
    setup.server.page = { id: 'p', title: 'Page', markdown: words, revision: 1, updatedAt: '' };
    await seconds(10);
    expect(setup.server.requests.map(({ markdown }) => markdown)).toEqual([secret, words]);
    expect([setup.saver.state.kind, setup.draft]).toEqual(['saved', undefined]);
  });

  it('and another person wrote meanwhile: theirs stays, the words go', async () => {
    setup.server.page = { ...setup.server.page, markdown: `THEIRS\n\n${secret}`, revision: 3 };
    await seconds(10);
    expect(setup.server.page.markdown).toBe(`THEIRS\n\n${words}`);
  });
});
