import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.ts';
import type { Comment } from '../../src/model/comment.ts';
import { Owner } from '../../src/model/rights.ts';
import { checkSlugAvailable } from '../../src/operations/check-slug.ts';
import { addComment, deleteComment, listComments } from '../../src/operations/comments.ts';
import { refusalOfWrite } from '../../src/operations/refused-write.ts';
import { reportNotebook } from '../../src/operations/report-notebook.ts';
import { noon } from '../store/contract/subject.ts';
import { type OpenParts, openParts, told } from '../support/parts-in-memory.ts';

const client = '203.0.113.7';
let open: OpenParts;
beforeEach(async () => {
  open = await openParts();
});
afterEach(() => open.close());

it('a slug is free, reserved, not one, or taken; asking counts', async () => {
  const check = (slug: string) => checkSlugAvailable(open.parts, slug, client);
  expect(await check('my-own-notes')).toEqual({ slug: 'my-own-notes', available: true });
  expect(await check('api')).toEqual({ slug: 'api', available: false, reason: 'reserved' });
  expect(await check('No Slug')).toEqual({ slug: 'No Slug', available: false, reason: 'invalid' });
  await open.keep({ slug: 'my-own-notes' });
  expect(await check('my-own-notes')).toEqual({ slug: 'my-own-notes', available: false, reason: 'taken' });
  await open.parts.store.takeRateSlot({ name: 'slugCheck', key: client, max: 999, windowSeconds: 60 }, noon);
  for (let use = 5; use < 120; use++) await check('free');
  expect(await told(check('free'))).toBe('rate_limited: Please try again in 60 seconds.');
});

describe('comments', () => {
  const off = 'not_found: Comments are switched off for this notebook.';

  it('are written by readers, listed, and deleted by the owner', async () => {
    const { notebook, pages, editToken } = await open.keep();
    const { slug } = notebook;
    const add = (input: Parameters<typeof addComment>[2]) => addComment(open.parts, slug, input, {}, client);
    const first = await add({ body: ' a\r\nb\rc \n', author: ' Some  one ', pageId: pages[0]!.id });
    expect(first).toEqual({
      ...{ id: expect.any(String), notebookId: notebook.id, pageId: pages[0]!.id },
      ...{ author: 'Some one', body: 'a\nb\nc', createdAt: noon },
    });
    expect(first.id).toHaveLength(limits.idChars);
    open.clock.now += 1;
    const second = await add({ body: '😀'.repeat(limits.maxCommentChars), pageId: '' });
    expect(second).toMatchObject({ author: '', pageId: null });
    expect((await listComments(open.parts, slug, {})).few?.map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(await told(add({ body: ' \r\n ' }))).toBe('invalid: body is empty');
    expect(await told(add({ body: 'x'.repeat(limits.maxCommentChars + 1) }))).toBe(
      `invalid: body must have at most ${limits.maxCommentChars} characters; it has ${limits.maxCommentChars + 1}`,
    );
    expect(await told(add({ body: 'a', pageId: 'none' }))).toBe('invalid: pageId is not a page of this notebook');
    expect(await told(deleteComment(open.parts, slug, first.id, {}))).toBe('edit_token_missing');
    expect(await told(deleteComment(open.parts, slug, first.id, { editToken }))).toBe('ok');
    expect(await told(deleteComment(open.parts, slug, first.id, { editToken }))).toBe('not_found');
    await open.fill('comment', client, 20);
    expect(await told(add({ body: 'a' }))).toMatch(/^rate_limited/);
  });

  it('that are many are read a portion at a time, no faster than they are taken', async () => {
    const { notebook, pages, editToken } = await open.keep();
    const ids = Array.from({ length: 2 * limits.maxCommentsAtOnce + 1 }, (_, at) => `comment${at}`);
    const said = { notebookId: notebook.id, pageId: pages[0]!.id, author: '', body: 'a', createdAt: noon };
    for (const id of ids) await open.parts.store.addComment({ id, ...said });
    let read = 0;
    const listPortion: typeof open.parts.store.listComments = (...args) => {
      read += 1;
      return open.parts.store.listComments(...args);
    };
    const parts = { ...open.parts, store: { ...open.parts.store, listComments: listPortion } };
    const { few, walk } = await listComments(parts, notebook.slug, {});
    expect(few).toBeUndefined();
    const portions = walk();
    const first = await portions.next();
    expect(read).toBe(2);
    const others: Comment[] = [];
    for await (const portion of portions) others.push(...portion);
    expect([...(first.value as Comment[]), ...others].map(({ id }) => id)).toEqual(ids);
    await open.parts.store.changeSettings(Owner.check(notebook, editToken)!, { visibility: 'private' }, noon);
    expect(await told(walk().next())).toBe('not_found');
  });

  it('that are switched off are their owner’s alone', async () => {
    const { notebook, editToken } = await open.keep({ comments: false });
    expect(await told(listComments(open.parts, notebook.slug, {}))).toBe(off);
    expect((await listComments(open.parts, notebook.slug, { editToken })).few).toEqual([]);
    expect(await told(addComment(open.parts, notebook.slug, { body: 'a' }, { editToken }, client))).toBe(off);
    for (const [kind, answer] of [
      ['comments_off', off],
      ['comment_limit', `comment_limit: A notebook holds at most ${limits.maxCommentsPerNotebook} comments.`],
    ] as const) {
      const { notebook: other } = await open.keep();
      const parts = { ...open.parts, store: { ...open.parts.store, addComment: async () => kind } };
      expect(await told(addComment(parts, other.slug, { body: 'a' }, {}, client))).toBe(answer);
    }
  });

  it('of a notebook that may not be read are neither read nor written', async () => {
    const { notebook } = await open.keep({ visibility: 'private' });
    expect(await told(listComments(open.parts, notebook.slug, {}))).toBe('not_found');
    expect(await told(addComment(open.parts, notebook.slug, { body: 'a' }, {}, client))).toBe('not_found');
  });
});

it('a report reaches the operator in the reader’s words', async () => {
  const { notebook } = await open.keep();
  const report = (detail?: string) =>
    reportNotebook(open.parts, notebook.slug, { reason: 'spam', ...(detail === undefined ? {} : { detail }) }, {}, client);
  await report(' a\r\nb\rc ');
  open.clock.now += 1;
  await report();
  await report('😀'.repeat(limits.maxReportDetailChars));
  expect(await told(report('x'.repeat(limits.maxReportDetailChars + 1)))).toBe(
    `invalid: detail must have at most ${limits.maxReportDetailChars} characters; it has ${limits.maxReportDetailChars + 1}`,
  );
  const reports = await open.parts.store.listReports();
  expect(reports).toHaveLength(3);
  expect(reports.at(-1)).toEqual({
    ...{ id: expect.any(String), notebookId: notebook.id, slug: notebook.slug, reason: 'spam' },
    ...{ detail: 'a\nb\nc', createdAt: noon, state: 'there' },
  });
  expect(reports.map(({ detail }) => detail)).toContain('');
  await open.fill('report', client, 20);
  expect(await told(report())).toMatch(/^rate_limited/);
  expect(await told(reportNotebook(open.parts, 'no-such-notebook', { reason: 'spam' }, {}, client))).toBe('not_found');
});

it('a refused write is told in words', () => {
  const tooLarge = (bytes: string) =>
    `notebook_too_large: Its pages may hold ${bytes} of text together. Shorten or delete pages, or continue in a new notebook.`;
  const words = (refused: Parameters<typeof refusalOfWrite>[0], about?: { withFile: boolean }) =>
    told(Promise.reject(refusalOfWrite(refused, about)));
  return Promise.all(
    (
      [
        [{ kind: 'gone' }, 'not_found'],
        [{ kind: 'not_allowed' }, 'edit_token_missing'],
        [{ kind: 'read_only' }, 'read_only'],
        [{ kind: 'rate_limited', retryAfterSeconds: 1 }, 'rate_limited: Please try again in 1 second.'],
        [{ kind: 'notebook_too_large', maxBytes: 1_023 }, tooLarge('1023 bytes')],
        [{ kind: 'notebook_too_large', maxBytes: 1_024 }, tooLarge('1 KiB')],
        [{ kind: 'notebook_too_large', maxBytes: 1_048_575 }, tooLarge('1024 KiB')],
        [{ kind: 'notebook_too_large', maxBytes: 1_048_576 * 1.5 }, tooLarge('1.5 MiB')],
      ] as const
    ).map(async ([refused, answer]) => expect(await words(refused)).toBe(answer)),
  );
});
