import { describe, expect, it } from 'vitest';
import { isListed, isListedNow, isShared } from './listed.ts';
import type { Notebook } from './notebook.ts';

const now = Date.UTC(2026, 2, 1);
const shown = {
  visibility: 'public',
  passwordHash: null,
  burnAfterRead: false,
  openedAt: null,
  expiresAt: null,
  takenDownAt: null,
} as unknown as Notebook;

describe('a notebook may be listed', () => {
  it.each([
    ['public and open', {}, true, true],
    ['expiring a moment later', { expiresAt: now + 1 }, true, true],
    ['expiring now', { expiresAt: now }, true, false],
    ['taken down', { takenDownAt: now - 1 }, true, false],
    ['unlisted', { visibility: 'unlisted' }, false, false],
    ['private', { visibility: 'private' }, false, false],
    ['locked', { passwordHash: '$2b$12$x' }, false, false],
    ['burn after read', { burnAfterRead: true }, false, false],
    ['burned', { burnAfterRead: true, openedAt: now - 1 }, false, false],
  ] as const)('%s: by its settings, and now', (_, over, bySettings, nowListed) => {
    const notebook = { ...shown, ...over };
    expect([isListed(notebook), isListedNow(notebook, now)]).toEqual([bySettings, nowListed]);
  });
});

it.each([
  ['public', {}, true],
  ['unlisted', { visibility: 'unlisted' }, true],
  ['private', { visibility: 'private' }, false],
  ['locked', { passwordHash: '$2b$12$x' }, false],
  ['burn after read', { burnAfterRead: true }, false],
] as const)('the link of one that is %s shows what it leads to: %o', (_, over, shared) =>
  expect(isShared({ ...shown, ...over })).toBe(shared),
);
