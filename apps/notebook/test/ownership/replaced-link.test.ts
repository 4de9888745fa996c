import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { routeFirst } from '../support/route-first.ts';
import type { Made } from '../support/service-process.ts';
import { EditorDesk, pagesNamed } from '../views/editor-desk.ts';

// The answer to "Replace the edit link" may be lost when the old link is dead already.
let desk: EditorDesk;
let made: Made;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
const create = async (body: object = {}): Promise<void> => {
  made = await desk.create({ title: 'Mine', ...pagesNamed('One'), ...body });
};

describe('asked for with a key', () => {
  beforeEach(() => create());

  const key = 'k'.repeat(22);
  const rotate = (editToken: string, idempotencyKey?: string) =>
    fetch(`${desk.service.origin}/api/notebooks/${made.slug}/token`, {
      method: 'POST',
      headers: { 'x-edit-token': editToken, ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }) },
    });
  const tokenOf = async (answer: Response) => ((await answer.json()) as { editToken: string }).editToken;

  it('the new edit token is answered again to who has the old one and the key, and to nobody else', async () => {
    const first = await tokenOf(await rotate(made.editToken, `"${key}"`));
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(first).not.toBe(made.editToken);
    expect(await tokenOf(await rotate(made.editToken, key))).toBe(first);
    expect((await desk.stored({ ...made, editToken: first })).title).toBe('Mine');
    for (const [token, otherKey] of [
      [made.editToken, undefined],
      [made.editToken, 'l'.repeat(22)],
      ['w'.repeat(43), key],
    ] as const)
      expect((await rotate(token, otherKey)).status).toBe(403);
    expect((await desk.stored({ ...made, editToken: first })).title).toBe('Mine');
  });

  it('twice at once, it is one token', async () => {
    const both = await Promise.all(
      [rotate(made.editToken, key), rotate(made.editToken, key)].map(async answer => tokenOf(await answer)),
    );
    expect(both[0]).toMatch(/^[\w-]{43}$/);
    expect(both[1]).toBe(both[0]);
  });

  it('it is not answered any more when it was replaced itself, nor for another notebook', async () => {
    const first = await tokenOf(await rotate(made.editToken, key));
    const other = await desk.create({ title: 'Other', ...pagesNamed('One') });
    const second = await tokenOf(await rotate(first));
    expect(second).not.toBe(first);
    expect((await rotate(made.editToken, key)).status).toBe(403);
    made = other;
    expect((await rotate(first, key)).status).toBe(403);
  });

  it('a key that could be guessed is refused by name, and the old token stays', async () => {
    const answer = await rotate(made.editToken, 'k'.repeat(21));
    expect(answer.status).toBe(422);
    expect(JSON.stringify(await answer.json())).toContain('idempotency-key');
    expect((await desk.stored(made)).title).toBe('Mine');
  });
});

describe('in the editor, when the answer is lost', () => {
  let page: Page;
  // One editor, whose edit link is that of the test before.
  beforeAll(async () => {
    await create();
    page = await desk.newPage();
    await desk.open(page, made);
  });
  afterAll(() => desk.context.close());
  beforeEach(async () => {
    await page.keyboard.press('Escape');
    await page.getByText('We don’t know whether the edit link was replaced.').waitFor({ state: 'detached' });
    await expect.poll(kept).toMatch(/^[\w-]{43}$/);
    made = { ...made, editToken: await kept() };
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const kept = () =>
    page.evaluate(slug => JSON.parse(localStorage.getItem(`octavo.notebook.${slug}`) ?? '{}').editToken, made.slug);

  /** The server replaces it, and the line breaks before that is known here. */
  async function replaceUnheard(): Promise<void> {
    await routeFirst(page, '**/api/notebooks/*/token', async route => {
      expect((await route.fetch()).status()).toBe(200);
      await route.abort();
    });
    await button('Share').click();
    await button('Replace the edit link').click();
    await button('Replace it').click();
    await page.getByText('We don’t know whether the edit link was replaced.').waitFor();
    expect((await fetch(`${desk.service.origin}/api/notebook`, { headers: { 'x-edit-token': made.editToken } })).status).toBe(
      404,
    );
  }

  it('the next words are saved with the new link, which the browser keeps', async () => {
    await replaceUnheard();
    await page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: /^Markdown of/ }).fill('# One\n\nWritten after the line broke.');
    await expect.poll(kept).not.toBe(made.editToken);
    const editToken = await kept();
    await expect
      .poll(async () => (await desk.stored({ ...made, editToken })).pages[0]?.markdown)
      .toContain('Written after the line broke.');
  });

  it('pressed again, it tells the new link', async () => {
    await replaceUnheard();
    await button('Replace the edit link').click();
    await button('Replace it').click();
    await page.getByText('The edit link is new').waitFor();
    expect((await desk.stored({ ...made, editToken: await kept() })).title).toBe('Mine');
  });

  it('pressed again too soon and once more, it tells the new link', async () => {
    await replaceUnheard();
    const tooMany = { status: 429, json: { code: 'rate_limited', title: 'Too many changes.' } };
    await routeFirst(page, '**/api/notebooks/*/token', route => route.fulfill(tooMany));
    await button('Replace the edit link').click();
    await button('Replace it').click();
    await page.getByText('Too many changes.').waitFor();
    await button('Replace the edit link').click();
    await button('Replace it').click();
    await page.getByText('The edit link is new').waitFor();
  });

  it('a tab that is opened later finds the notebook', async () => {
    await replaceUnheard();
    const next = await desk.context.newPage();
    await page.close();
    await next.goto(`${desk.service.origin}/edit/${made.slug}`);
    await next.getByRole('textbox', { name: /^Markdown of/ }).waitFor();
    page = next;
    expect(await kept()).not.toBe(made.editToken);
    expect((await desk.stored({ ...made, editToken: await kept() })).title).toBe('Mine');
  });
});

describe('in another browser', () => {
  let page: Page;
  beforeAll(async () => {
    page = await desk.newPage();
  });
  afterAll(() => desk.context.close());
  const open = async (body: object = {}) => {
    await create(body);
    await desk.open(page, made);
  };

  const replace = () =>
    fetch(`${desk.service.origin}/api/notebooks/${made.slug}/token`, {
      method: 'POST',
      headers: { 'x-edit-token': made.editToken },
    });
  const write = () => page.getByRole('textbox', { name: /^Markdown of/ }).fill('# One\n\nWritten after it was replaced.');

  it('an editor that was open says that it was replaced, and one opened again says so too', async () => {
    await open();
    expect((await replace()).status).toBe(200);
    await write();
    await page.getByRole('alert').getByText('This edit link was replaced by a newer one.').waitFor();
    await page.goto(`${desk.service.origin}/edit/${made.slug}`);
    await page.getByRole('alert').getByText('it was replaced by a newer one. Paste the new one here.').waitFor();
    await page.getByText('Written after it was replaced.').waitFor();
  });

  it('a private notebook does not tell it from a deleted one', async () => {
    await open({ visibility: 'private' });
    expect((await replace()).status).toBe(200);
    await write();
    await page.getByRole('alert').getByText('it was deleted, it has expired, or its edit link was replaced.').waitFor();
  });

  it('a visitor reads of no edit link when the notebook is deleted', async () => {
    await create({ openEditing: true });
    await page.goto(`${desk.service.origin}/n/${made.slug}/edit`);
    const field = page.getByRole('textbox', { name: /^Markdown of/ });
    await field.waitFor();
    const headers = { 'x-edit-token': made.editToken };
    await fetch(`${desk.service.origin}/api/notebooks/${made.slug}`, { method: 'DELETE', headers });
    await field.fill('# One\n\nWritten by a visitor.');
    await page.getByRole('alert').getByText('it was deleted, it has expired, or its owner no longer shares it').waitFor();
  });
});
