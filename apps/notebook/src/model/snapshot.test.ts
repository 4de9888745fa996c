import { expect, it } from 'vitest';
import { autosaveSnapshotMillis, needsSnapshot } from './snapshot.ts';

it.each([
  ['a save by hand', false, 0, true],
  ['the first save', true, undefined, true],
  ['five minutes after the newest', true, 1_000, false],
  ['a moment later', true, 999, true],
  ['a newest of a clock that was five minutes ahead', true, 601_000, false],
  ['and of one that was a moment more', true, 601_001, true],
])('%s', (_, autosave, newestAt, needs) => expect(needsSnapshot(autosave, newestAt, 301_000)).toBe(needs));

it('waits five minutes', () => expect(autosaveSnapshotMillis).toBe(300_000));
