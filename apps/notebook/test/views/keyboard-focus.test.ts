import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Made } from '../support/service-process.ts';
import { EditorDesk, focusedName, pagesNamed } from './editor-desk.ts';

// By keyboard alone: the focus is always seen and never lost, and what was done is said once.
let desk: EditorDesk;
let page: Page;
let made: Made;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
beforeEach(async () => {
  made = await desk.create({ title: 'Keys', ...pagesNamed('One', 'Two') });
  page = await desk.newPage();
  await desk.open(page, made);
});
afterEach(async () => {
  await desk.context.close();
  expect(desk.complaints).toEqual([]);
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const focused = () => focusedName(page);
/** The ring is not clipped by the box around the focused element. */
const hasRing = () =>
  page.evaluate(() => {
    const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(document.activeElement!);
    const row = document.activeElement!.closest('li');
    const isClipped = row !== null && getComputedStyle(row).contentVisibility === 'auto' && !outlineOffset.startsWith('-');
    return outlineStyle === 'solid' && outlineWidth === '2px' && !isClipped;
  });

describe('arrow keys show where they are', () => {
  it('in the list of pages', async () => {
    await button('One').focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(focused).toBe('Two');
    expect(await hasRing()).toBe(true);
  });

  it('in a menu of the toolbar', async () => {
    await button('Heading (Ctrl+Shift+6)').press('Enter');
    await page.keyboard.press('ArrowDown');
    await expect.poll(focused).toBe('Heading 2');
    expect(await hasRing()).toBe(true);
  });
});

it('a duplicated page has the focus, not the body of the document', async () => {
  await button('Duplicate One').press('Enter');
  await expect.poll(focused).toBe('One (copy)');
});

it('a restored version is said to be restored', async () => {
  await desk.saveElsewhere(made, '# One\n\nchanged');
  await button('Versions').press('Enter');
  const version = page.locator('.snapshot-list button');
  await version.press('Enter');
  const when = await version.innerText();
  await button('Restore this version').press('Enter');
  await page.getByRole('status').getByText(`One is as it was on ${when}.`).waitFor();
  await expect.poll(focused).toBe('Versions');
});

describe('a conflict that was put off', () => {
  beforeEach(async () => {
    await desk.saveElsewhere(made, '# One by them');
    await page.locator('#markdown-field').fill('# One by me');
    await button('Keep mine').waitFor();
    await page.keyboard.press('Escape');
    await button('Choose a version').press('Enter');
    await button('Keep mine').waitFor();
  });

  it('can be put off again: the focus is on the button that leads back', async () => {
    await page.keyboard.press('Escape');
    await expect.poll(focused).toBe('Choose a version');
  });

  it.each(['Keep mine', 'Keep theirs', 'Keep both'])('leaves the focus in the text by “%s”', async choice => {
    await button(choice).press('Enter');
    await page.locator('[data-save-state="saved"]').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('markdown-field');
  });
});

it('a password or an expiry that is set without one leads to its field', async () => {
  await button('Share').press('Enter');
  for (const [name, field] of [
    ['Set password', 'setting-password'],
    ['Set expiry', 'setting-expiry'],
  ] as const) {
    await button(name).press('Enter');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe(field);
  }
});

it('of two comments by one reader it is said when each was written, before one is deleted', async () => {
  for (let count = 0; count < 2; count += 1)
    await fetch(`${desk.service.origin}/api/notebooks/${made.slug}/comments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ author: 'A reader', body: 'Words.' }),
    });
  await button('Comments').press('Enter');
  const times = page.locator('.comment-list time');
  await times.first().waitFor();
  const described = page.getByRole('button', {
    name: 'Delete the comment by A reader',
    description: await times.first().innerText(),
  });
  await described.first().press('Enter');
  const question = page.getByRole('group', { name: 'Delete the comment by A reader?' });
  const id = await times.first().getAttribute('id');
  await expect.poll(() => question.getAttribute('aria-describedby')).toBe(id);
});

it('after a deleted notebook, what happened has the focus on the home page', async () => {
  await button('Settings').press('Enter');
  await button('Delete this notebook…').press('Enter');
  await button('Delete the notebook').press('Enter');
  await expect.poll(focused).toBe('The notebook was deleted, with all its pages.');
});

it('the ring of a heading’s own link is around its mark, not around an empty box', async () => {
  await page.goto(`${desk.service.origin}/n/${made.slug}`);
  const link = page.getByRole('link', { name: 'Link to “One”', exact: true });
  await link.waitFor({ state: 'attached' });
  for (let stops = 0; stops < 30 && (await focused()) !== 'Link to “One”'; stops++) await page.keyboard.press('Tab');
  const outlines = await link.evaluate(one => [undefined, '::before'].map(part => getComputedStyle(one, part).outlineStyle));
  expect(outlines).toEqual(['none', 'solid']);
});
