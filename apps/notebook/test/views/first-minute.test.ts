import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findFaults } from './axe.ts';
import { EditorDesk } from './editor-desk.ts';

let desk: EditorDesk;
let page: Page;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());
beforeEach(async () => {
  page = await desk.newPage();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(desk.service.origin);
});
afterEach(async () => {
  await desk.context.close();
  expect(desk.complaints).toEqual([]);
});

const published = () => page.locator('[data-clipboard-state]:visible').innerText();
const linkOf = (label: string) => page.getByLabel(label, { exact: true }).inputValue();
const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
const markdownBehind = async (view: string) => (await fetch(`${desk.service.origin}${new URL(view).pathname}.md`)).text();

const trace = `Traceback (most recent call last):
  File "app.py", line 3, in <module>
    main()
ValueError: *no* such __page__`;

describe('from the home page to a shared link', () => {
  it('by keyboard alone: the caret is in the field, one key publishes, one press copies the view link', async () => {
    await page.keyboard.type('# Picnic\n\nBring bread.');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => published()).toBe('Your clipboard has the edit link.');
    await expect.poll(() => clipboard()).toBe(await linkOf('Edit link'));
    await page.keyboard.press('Enter');
    await expect.poll(published).toBe('Your clipboard has the view link.');
    const view = await linkOf('View link');
    await expect.poll(() => clipboard()).toBe(view);
    await expect.poll(() => markdownBehind(view)).toContain('Bring bread.');
    await expect.poll(() => findFaults(page)).toEqual([]);
  });

  it('the notebook is in the list of this browser afterwards', async () => {
    await page.getByLabel('Your text').fill('Only a line');
    await page.getByRole('button', { name: 'Publish' }).click();
    await published();
    await page.reload();
    await expect.poll(() => page.locator('.saved-name a').allTextContents()).toEqual(['Only a line']);
  });

  it('an empty field publishes nothing', async () => {
    await page.getByRole('button', { name: 'Publish' }).click();
    await expect.poll(() => page.locator('[data-created]').isHidden()).toBe(true);
  });
});

describe('a pasted trace', () => {
  it('keeps its lines, and says so before it is published', async () => {
    await page.getByLabel('Your text').fill(trace);
    await expect.poll(() => page.getByLabel('Keep lines as they are').isChecked()).toBe(true);
    await expect.poll(() => page.getByText('Looks like a log or code.').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Publish' }).click();
    await published();
    await expect.poll(async () => await markdownBehind(await linkOf('View link'))).toContain(`\`\`\`\n${trace}\n\`\`\``);
  });

  it('is Markdown after one press', async () => {
    await page.getByLabel('Your text').fill(trace);
    await page.getByText('Looks like a log or code.').waitFor();
    await page.getByLabel('Keep lines as they are').click();
    // The choice is the person's now: further typing does not take it back.
    await page.getByLabel('Your text').press('End');
    await page.keyboard.type('\nmore');
    await expect.poll(() => page.getByLabel('Keep lines as they are').isChecked()).toBe(false);
    await page.getByRole('button', { name: 'Publish' }).click();
    await published();
    expect(await markdownBehind(await linkOf('View link'))).not.toContain('```');
  });
});

it('a secret opens once: one box and one key', async () => {
  await page.keyboard.type('The code is 1234.');
  await page.getByLabel('Delete after it’s read once').check();
  await page.keyboard.press('Control+Enter');
  await published();
  const view = new URL(await linkOf('View link')).pathname;
  const before = await (await fetch(desk.service.origin + view)).text();
  expect(before).not.toContain('1234');
  const opened = await fetch(`${desk.service.origin}/api/notebooks/${view.slice(3)}/open`, {
    method: 'POST',
    redirect: 'manual',
  });
  expect(opened.status).toBe(303);
  const again = await fetch(`${desk.service.origin}/api/notebooks/${view.slice(3)}/open`, { method: 'POST', redirect: 'manual' });
  expect(again.status).toBe(404);
});
