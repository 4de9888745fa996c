import { describe, expect, it } from 'vitest';
import { inOrder, readChanges } from './offline-changes.ts';

const items = (ids: string) => [...ids].map(id => ({ id }));

describe('the order that is wanted', () => {
  it.each([
    ['of all', 'abc', 'cab', 'cab'],
    ['with one that another person added: behind its neighbor', 'abxc', 'cab', 'cabx'],
    ['with one that stands first there', 'xabc', 'cab', 'xcab'],
    ['with two of them', 'axyb', 'ba', 'baxy'],
    ['with one that is gone', 'ac', 'cba', 'ca'],
    ['of strangers', 'ab', 'xy', 'ab'],
  ])('%s', (_what, there, wanted, expected) => {
    expect(
      inOrder(items(there), [...wanted])
        .map(({ id }) => id)
        .join(''),
    ).toBe(expected);
  });
});

describe('changes that were kept', () => {
  const added = { id: 'new-1', title: 'Given', titlesBefore: ['Gave'] };
  const list = {
    added: [added],
    renamed: { a: 'A' },
    renamedFrom: { a: ['B', 'C'] },
    deleted: { b: 3 },
    order: ['a', 'new-1'],
    moved: true,
  };
  const whole = { ...list, title: 'Notes', titlesBefore: ['Before', 'Note'] };

  it('are read as they were written', () => {
    expect(readChanges(structuredClone(whole))).toEqual(whole);
  });

  it('know the titles that theirs may replace', () => {
    expect(readChanges({ ...whole, titlesBefore: ['Before', 5] })?.titlesBefore).toEqual(['Before']);
    expect(readChanges({ ...list, title: 'Notes' })?.titlesBefore).toEqual([]);
    expect(readChanges({ ...list, titlesBefore: ['Before'] })).toEqual(list);
    expect(readChanges({ ...list, renamedFrom: undefined })).toEqual({ ...list, renamedFrom: {} });
  });

  it.each([undefined, null, 'text', 7, [], {}, { ...whole, added: 'x' }, { ...whole, renamed: null }, { ...whole, order: {} }])(
    'are none where something else is stored: %j',
    stored => expect(readChanges(stored)).toBeUndefined(),
  );

  it('are believed in what is of their kind only', () => {
    const stored = {
      added: [added, null, { id: 'a' }, { id: 'new-2', title: 5, titlesBefore: ['Before', 5], more: [1] }],
      renamed: { a: 'A', b: 7 },
      renamedFrom: { a: ['B', 7], b: 'B', c: null },
      deleted: { a: 'x', b: 2, c: 1.5 },
      order: ['a', 3],
      moved: 'yes',
      title: 7,
    };
    expect(readChanges(stored)).toEqual({
      added: [added, { id: 'new-2', titlesBefore: ['Before'] }],
      renamed: { a: 'A' },
      renamedFrom: { a: ['B'], b: [], c: [] },
      deleted: { b: 2 },
      order: ['a'],
      moved: false,
    });
  });
});
