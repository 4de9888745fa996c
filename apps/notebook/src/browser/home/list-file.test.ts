import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { stubLocalStorage } from '../../../test/support/local-storage.ts';
import { findSavedNotebook, type SavedNotebook, saveNotebook } from '../device/saved-notebooks.ts';
import { maxListFileBytes, mergedWords, mergeList, openListFile, readListFile, type Works, writeListFile } from './list-file.ts';
import { stateWords } from './state-words.ts';

beforeEach(stubLocalStorage);
afterEach(() => vi.unstubAllGlobals());

const here: SavedNotebook = { slug: 'mine', title: 'Mine', editToken: 'H'.repeat(43), savedAt: 5_000, expiresAt: null };
const other: SavedNotebook = { ...here, title: 'Other', editToken: 'O'.repeat(43) };
/** Fails when the service is asked about anything but the edit link here. */
const answering =
  (answer: boolean | undefined): Works =>
  async editToken => {
    expect(editToken).toBe(here.editToken);
    return answer;
  };
const never: Works = () => Promise.reject(new Error('nothing to ask about'));
const kept = () => findSavedNotebook('mine');

it.each([
  ['works, whatever the times say', true, 9_000, here.editToken, '1 already here.'],
  [
    'may work, when nobody answers',
    undefined,
    9_000,
    here.editToken,
    '1 left as before, because the edit link here may still work.',
  ],
  ['no longer works, when the file is newer', false, 9_000, other.editToken, '1 brought up to date.'],
  ['no longer works, when a clock was wrong', false, 1_000, other.editToken, '1 brought up to date.'],
])('the edit link here and another one in the file: it %s', async (_what, answer, savedAt, editToken, words) => {
  saveNotebook(here);
  const merged = await mergeList([{ ...other, savedAt }], answering(answer));
  expect(kept()?.editToken).toBe(editToken);
  expect(mergedWords(merged, 0)).toContain(words);
});

it('an edit link that another tab stores while the service is asked is not overwritten', async () => {
  saveNotebook(here);
  const replacement = { ...here, editToken: 'R'.repeat(43) };
  await mergeList([other], async () => {
    saveNotebook(replacement);
    return false;
  });
  expect(kept()).toEqual(replacement);
});

it('an edit link whose replacement was not answered is not overwritten: only its key leads to the new one', async () => {
  saveNotebook({ ...here, replacing: 'key' });
  await mergeList([{ ...other, savedAt: 9_000 }], answering(false));
  expect(kept()).toEqual({ ...here, replacing: 'key' });
});

it('of the same edit link the entry used last counts, and the key of an unanswered replacement stays', async () => {
  saveNotebook({ ...here, replacing: 'key' });
  await mergeList([{ ...here, title: 'Older', savedAt: 4_000 }], never);
  expect(kept()).toEqual({ ...here, replacing: 'key' });
  await mergeList([{ ...here, title: 'Newer', savedAt: 6_000 }], never);
  expect(kept()).toEqual({ ...here, title: 'Newer', savedAt: 6_000, replacing: 'key' });
});

it('a notebook that was only opened joins the list', async () => {
  for (const savedAt of [4_000, 6_000]) {
    saveNotebook({ ...here, listed: false });
    await mergeList([{ ...here, savedAt }], never);
    expect(kept()?.listed).toBeUndefined();
  }
});

it.each([1e300, -1e300, 8.64e15 + 1, null, '5'])('a time that is none (%s) does not keep the list from being shown', savedAt => {
  const file = { format: 'octavo-notebooks', version: 1, origin: 'x', notebooks: [{ ...here, savedAt }] };
  const [entry] = readListFile(JSON.stringify(file)).notebooks;
  expect(stateWords(entry!, undefined, Date.now())).toBe('Saved here');
});

it.each([
  ['of many notebooks', '', 20_000],
  ['with long titles in a script of three bytes', '長'.repeat(400), 9_000],
])('a list %s that fills the storage of a browser is not too large to be imported again', (_what, title, count) => {
  const kept = new Map<string, string>();
  for (let place = 0; place < count; place += 1) {
    const slug = `notebook-${place}`;
    kept.set(`octavo.notebook.${slug}`, JSON.stringify({ ...here, slug, title: title || slug }));
  }
  const stored = [...kept].reduce((chars, [key, value]) => chars + key.length + value.length, 0);
  expect(stored).toBeGreaterThan(3_000_000);
  const keys = [...kept.keys()];
  vi.stubGlobal('localStorage', {
    length: keys.length,
    key: (place: number) => keys[place] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
  });
  const file = writeListFile('https://octavo.example', new Date(0));
  expect(new TextEncoder().encode(file).length).toBeLessThanOrEqual(maxListFileBytes);
  expect(readListFile(file).notebooks).toHaveLength(count);
});

it('a file that is too large for a list is refused with its size and the limit', async () => {
  const file = new File([new Uint8Array(maxListFileBytes + 1)], 'list.json');
  await expect(openListFile(file)).rejects.toThrow(
    'That file is too large for a list of notebooks: 20,971,521 bytes, at most 20 MiB (20,971,520 bytes).',
  );
});

it('a file as large as the limit is read', async () => {
  const list = writeListFile('https://octavo.example', new Date(0));
  const file = new File([list.padEnd(maxListFileBytes)], 'list.json');
  expect(file.size).toBe(maxListFileBytes);
  expect(await openListFile(file)).toMatchObject({ origin: 'https://octavo.example', notUnderstood: 0 });
});
