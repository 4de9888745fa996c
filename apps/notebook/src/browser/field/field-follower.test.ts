import { describe, expect, it } from 'vitest';
import { Autosave } from '../session/autosave.ts';
import { EditorPage } from '../session/editor-page.ts';
import type { NotebookSession } from '../session/notebook-session.ts';
import { FieldFollower } from './field-follower.ts';
import { carryOver } from './text/changed-part.ts';

/** A field whose page changes elsewhere before the merging code has loaded. */
function openPage(markdown: string) {
  const saver = new Autosave(
    { markdown, revision: 1 },
    {
      send: () => new Promise(() => {}),
      keepDraft: () => {},
      onState: () => {},
      onMerged: () => {},
      onRefused: () => {},
      onSpaceFreed: () => {},
      loadMerging: () => Promise.reject(new Error('not fetched')),
      now: Date.now,
    },
  );
  const page: EditorPage = new EditorPage({ id: 'p', title: 'Page' }, saver);
  const field = Object.assign(new EventTarget(), { value: markdown }) as HTMLTextAreaElement;
  const follower = new FieldFollower(field, { session: { merging: undefined } as NotebookSession, page });
  const type = (value: string): void => {
    field.value = value;
    saver.change(follower.typed());
  };
  const receive = (text: string) => saver.receive({ id: 'p', title: 'Page', markdown: text, revision: 2, updatedAt: '' });
  return { saver, type, receive };
}

describe('words that are typed into a field that does not have the newest text yet', () => {
  it('are in the page, with what came from elsewhere', () => {
    const { saver, type, receive } = openPage('one two');
    receive('zero one two');
    expect(saver.text).toBe('zero one two');
    type('one two t');
    type('one two th');
    expect(saver.text).toBe('zero one two th');
    saver.stop();
  });

  it.each([
    ['before it', 'abc', 'Xabc', 'abcY', 'XabcY'],
    ['behind it', 'abc', 'abcX', 'Yabc', 'YabcX'],
    ['in the same place', 'abc', 'aXc', 'aYYc', 'aYYXc'],
    ['deleted here', 'abcdef', 'abdef', 'abcdefY', 'abdefY'],
    ['deleted there', 'abcdef', 'abcXdef', 'f', 'Xf'],
    ['only here', 'abc', 'abcX', 'abc', 'abcX'],
    ['only there', 'abc', 'abc', 'abcY', 'abcY'],
  ])('%s', (_where, before, typed, text, both) => expect(carryOver(before, typed, text)).toBe(both));
});
