import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '../../src/errors.ts';
import { hashEditToken } from '../../src/model/edit-token.ts';
import { changeSettings } from '../../src/operations/change-settings.ts';
import { createNotebook } from '../../src/operations/create-notebook.ts';
import { createOnce } from '../../src/operations/create-once.ts';
import { deleteNotebook } from '../../src/operations/delete-notebook.ts';
import { rotateEditToken } from '../../src/operations/rotate-edit-token.ts';
import { takeDown } from '../../src/operations/take-down.ts';
import { type OpenParts, openParts, told } from '../support/parts-in-memory.ts';

const key = 'a key that nobody guesses';
let open: OpenParts;
let creations: number;
beforeEach(async () => {
  open = await openParts();
  creations = 0;
});
afterEach(() => open.close());

const creating = (input: Parameters<typeof createNotebook>[1] = {}) => {
  return (editToken: string) => {
    creations += 1;
    return createNotebook(open.parts, input, '203.0.113.7', editToken);
  };
};
const create = (by: string | undefined, input?: Parameters<typeof createNotebook>[1]) =>
  createOnce(open.parts, by, creating(input));

it('the first request with a key creates, and the next finds what it created, as it is now', async () => {
  const first = await create(key, { title: 'Notes', pages: [{ markdown: '# One' }, { markdown: '# Two' }] });
  expect(first.isNew).toBe(true);
  const { notebook, editToken } = first;
  await changeSettings(open.parts, notebook.slug, { title: 'Later' }, { editToken });
  const next = await create(key, { slug: 'another' });
  expect(next).toEqual({
    notebook: expect.objectContaining({ id: notebook.id, title: 'Later', editTokenHash: hashEditToken(editToken) }),
    heads: [expect.objectContaining({ heading: 'One' }), expect.objectContaining({ heading: 'Two' })],
    pages: [expect.objectContaining({ markdown: '# One' }), expect.objectContaining({ markdown: '# Two' })],
    editToken,
    isNew: false,
  });
  expect(creations).toBe(1);
});

it('without a key each request creates, with a token of its own', async () => {
  const [one, other] = [await create(undefined), await create(undefined)];
  expect([one.isNew, other.isNew]).toEqual([true, true]);
  expect(one.editToken).not.toBe(other.editToken);
});

it('the token of a key is the service’s own: no other service gives it', async () => {
  const { editToken } = await create(key);
  const elsewhere = { ...open.parts, secretKey: 'another key that signs' };
  expect((await createOnce(elsewhere, key, creating())).editToken).not.toBe(editToken);
});

it('a request that comes beside the same one finds what that one created', async () => {
  const both = await Promise.all([create(key, { slug: 'both' }), create(key, { slug: 'both' })]);
  expect(both.map(({ isNew }) => isNew).toSorted()).toEqual([false, true]);
  expect(both[0].notebook.id).toBe(both[1].notebook.id);
  expect(creations).toBe(2);
});

describe('a request that comes beside the same one, whose notebook is deleted at once', () => {
  /** Another such request is through whenever this one is about to be kept, and its notebook is gone right after that. */
  function beside(times: number, end: (made: { slug: string; editToken: string }) => Promise<unknown>) {
    const { store } = open.parts;
    let left = times;
    const overtaken: typeof store = {
      ...store,
      async createNotebook(notebook, pages) {
        if (left-- <= 0) return store.createNotebook(notebook, pages);
        const { editToken, notebook: other } = await create(key);
        const result = await store.createNotebook(notebook, pages);
        await end({ slug: other.slug, editToken });
        return result;
      },
    };
    const parts = { ...open.parts, store: overtaken };
    return createOnce(parts, key, editToken => createNotebook(parts, { title: 'Own' }, '203.0.113.8', editToken));
  }
  const remove = ({ slug, editToken }: { slug: string; editToken: string }) => deleteNotebook(open.parts, slug, { editToken });

  it('creates a notebook of its own: the key is free again', async () => {
    const made = await beside(1, remove);
    expect(made).toMatchObject({ isNew: true, notebook: { title: 'Own' } });
    expect(await create(key)).toMatchObject({ isNew: false, notebook: { id: made.notebook.id } });
  });

  it('counts as one creation', async () => {
    await beside(1, remove);
    expect(await open.parts.store.countRateUses({ name: 'create', key: '203.0.113.8' }, open.parts.now())).toBe(1);
  });

  it('finds the one that was created after that', async () => {
    let ended = 0;
    const made = await beside(2, async other => ++ended === 1 && remove(other));
    expect(made.isNew).toBe(false);
    expect(await create(key)).toMatchObject({ isNew: false, notebook: { id: made.notebook.id } });
  });

  it('is told when the key is used up for good', async () => {
    const replaced = beside(1, ({ slug, editToken }) => rotateEditToken(open.parts, slug, { editToken }));
    expect(await told(replaced)).toMatch(/^invalid: idempotency-key has created a notebook whose edit link was replaced/);
  });
});

it('what is refused is refused with a key, too', async () => {
  await create(undefined, { slug: 'taken' });
  expect(await told(create(key, { slug: 'taken' }))).toBe('slug_taken: slug is already taken');
  expect(await told(create(key, { slug: '' }))).toMatch(/^invalid: slug /);
});

it('another refusal or failure is told, even if the notebook is there meanwhile', async () => {
  const failing = (error: Error) =>
    createOnce(open.parts, `${key} ${error.message}`, async editToken => {
      await creating()(editToken);
      throw error;
    });
  expect(await told(failing(new Refusal('rate_limited')))).toBe('rate_limited');
  await expect(failing(new Error('The disk is full.'))).rejects.toThrow('The disk is full.');
  await expect(failing(Object.assign(new Error('not ours'), { code: 'slug_taken' }))).rejects.toThrow('not ours');
});

it('a notebook that was taken down is not created again by its key', async () => {
  const { notebook } = await create(key);
  await takeDown(open.parts, notebook.slug);
  expect(await told(create(key))).toBe('taken_down');
  expect(creations).toBe(1);
});
