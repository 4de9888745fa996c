import { describe, expect, it } from 'vitest';
import { redactedPath } from './request-log.ts';

const token = `${'aB3-_'.repeat(8)}xyz`;

describe('a path as logs may know it', () => {
  it.each([
    [`/e/${token}`, '/e/[edit-token]'],
    [`/e/${token}/print?x=1`, '/e/[edit-token]/print'],
    [`/e/%61${token}`, '/e/[edit-token]'],
    [`/n/${token}`, '/n/[slug]'],
    [`/somewhere/${token}`, '/somewhere/[edit-token]'],
    [`/?token=${token}`, '/'],
    ['/n/my-notes/print', '/n/[slug]/print'],
    ['/%6e/my-notes', '/n/[slug]'],
    ['/%65/short', '/e/[edit-token]'],
    ['/n/%zz', '/n/[slug]'],
    ['/edit/my-notes', '/edit/[slug]'],
    ['/api/notebooks/my-notes/pages/abc', '/api/notebooks/[slug]/pages/abc'],
    ['/api/slugs/my-notes', '/api/slugs/[slug]'],
    ['/api/notebooks', '/api/notebooks'],
    ['/quick', '/quick'],
  ])('%s', (path, logged) => expect(redactedPath(path)).toBe(logged));
});
