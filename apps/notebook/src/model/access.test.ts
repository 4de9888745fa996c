import { describe, expect, it } from 'vitest';
import { type Credentials, decideAccess, decideImageAccess, lifecycle } from './access.ts';
import { hashEditToken } from './edit-token.ts';
import type { Notebook } from './notebook.ts';
import { Admission, Owner, Visitor } from './rights.ts';

const token = 'T'.repeat(43);
const wrong = 'W'.repeat(43);
const now = Date.parse('2026-05-01T00:00:00Z');
const day = 86_400_000;

const plain: Notebook = {
  id: '0'.repeat(32),
  slug: 'a-slug',
  title: 'T',
  visibility: 'unlisted',
  expiresAt: null,
  passwordHash: null,
  readOnly: false,
  burnAfterRead: false,
  openedAt: null,
  readerHash: null,
  openEditing: false,
  embedding: false,
  comments: true,
  paper: 'plain',
  editTokenHash: hashEditToken(token),
  takenDownAt: null,
  createdAt: 0,
  updatedAt: 0,
  version: 1,
  markdownBytes: 0,
};
const states: Record<string, Partial<Notebook>> = {
  unlisted: {},
  public: { visibility: 'public' },
  private: { visibility: 'private' },
  locked: { passwordHash: '$2b$12$x' },
  'expired this second': { expiresAt: now },
  'not yet expired': { expiresAt: now + 1 },
  'expired 3 days less a millisecond ago': { expiresAt: now - 3 * day + 1 },
  'expired 3 days ago': { expiresAt: now - 3 * day },
  'unopened burn-after-read': { burnAfterRead: true },
  burned: { burnAfterRead: true, openedAt: now - 1 },
  'locked burn-after-read': { burnAfterRead: true, passwordHash: '$2b$12$x' },
  'taken down': { takenDownAt: now - 1 },
  'private and locked': { visibility: 'private', passwordHash: '$2b$12$x' },
};
const callers: Record<string, Credentials> = {
  nobody: {},
  unlocked: { unlocked: true },
  reader: { isReader: true },
  'wrong token': { editToken: wrong },
  owner: { editToken: token },
};

/**
 * Per state, the access of: a stranger, a reader who unlocked, the reader of a burn-after-read notebook, a caller with a wrong token, the
 * owner.
 */
const expected: Record<string, readonly string[]> = {
  unlisted: ['reader', 'reader', 'reader', 'wrong-token', 'owner'],
  public: ['reader', 'reader', 'reader', 'wrong-token', 'owner'],
  private: ['missing', 'missing', 'missing', 'missing', 'owner'],
  locked: ['locked', 'reader', 'locked', 'wrong-token', 'owner'],
  'expired this second': ['missing', 'missing', 'missing', 'missing', 'owner'],
  'not yet expired': ['reader', 'reader', 'reader', 'wrong-token', 'owner'],
  'expired 3 days less a millisecond ago': ['missing', 'missing', 'missing', 'missing', 'owner'],
  'expired 3 days ago': ['missing', 'missing', 'missing', 'missing', 'missing'],
  'unopened burn-after-read': ['opens-once', 'opens-once', 'opens-once', 'wrong-token', 'owner'],
  burned: ['missing', 'missing', 'reader', 'missing', 'owner'],
  'locked burn-after-read': ['locked', 'opens-once', 'locked', 'wrong-token', 'owner'],
  'taken down': ['taken-down', 'taken-down', 'taken-down', 'taken-down', 'taken-down'],
  'private and locked': ['missing', 'missing', 'missing', 'missing', 'owner'],
};

describe.each(Object.keys(states))('a notebook that is %s', state => {
  it.each(Object.keys(callers).map((caller, at) => [caller, expected[state]![at]!] as const))('is to %s: %s', (caller, kind) => {
    expect(decideAccess({ ...plain, ...states[state] }, callers[caller]!, now).kind).toBe(kind);
  });
});

describe('the lifecycle', () => {
  it.each([
    ['unlisted', 'active'],
    ['not yet expired', 'active'],
    ['expired this second', 'expired'],
    ['burned', 'burned'],
    ['unopened burn-after-read', 'active'],
  ])('of one that is %s is %s', (state, kind) => expect(lifecycle({ ...plain, ...states[state] }, now)).toBe(kind));
});

describe('who has the address of an image', () => {
  it.each([
    ['unlisted', 'open'],
    ['private', 'open'],
    ['locked', 'open'],
    ['not yet expired', 'open'],
    ['expired this second', 'missing'],
    ['taken down', 'taken-down'],
  ])('of one that is %s: %s', (state, access) => expect(decideImageAccess({ ...plain, ...states[state] }, now)).toBe(access));

  it('of none', () => {
    expect(decideImageAccess(undefined, now)).toBe('missing');
    expect(decideAccess(undefined, {}, now)).toEqual({ kind: 'missing' });
  });
});

describe('what let a reader in', () => {
  const burned = { ...plain, burnAfterRead: true, openedAt: now, readerHash: 'reader' };
  it.each([
    ['nothing changed', plain, plain, true],
    ['it was made private', plain, { ...plain, visibility: 'private' as const }, false],
    ['it has expired', plain, { ...plain, expiresAt: now }, false],
    ['it expires later', plain, { ...plain, expiresAt: now + 1 }, true],
    ['it got a password', plain, { ...plain, passwordHash: 'new' }, false],
    ['its password was changed', { ...plain, passwordHash: 'old' }, { ...plain, passwordHash: 'new' }, false],
    ['its password was removed', { ...plain, passwordHash: 'old' }, plain, true],
    ['it will burn', plain, { ...plain, burnAfterRead: true, openedAt: null }, false],
    ['another person burned it', plain, burned, false],
    ['this reader burned it', burned, { ...burned, passwordHash: 'new' }, true],
  ])('holds or not when %s', (_, before, after, holds) => {
    expect(new Admission(before).isStillValid(after, now)).toBe(holds);
  });
});

describe('who may write', () => {
  it('is the owner whose edit token was compared', () => {
    const owner = Owner.check(plain, token);
    expect(owner).toMatchObject({ kind: 'owner', notebookId: plain.id, editTokenHash: plain.editTokenHash });
    expect(Owner.check(plain, wrong)).toBeUndefined();
  });

  it('or a visitor, where the owner switched open editing on', () => {
    expect(Visitor.check({ ...plain, openEditing: true })).toMatchObject({ kind: 'visitor', notebookId: plain.id });
    expect(Visitor.check({ ...plain, openEditing: false })).toBeUndefined();
  });
});
