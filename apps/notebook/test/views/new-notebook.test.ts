import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EditorDesk } from './editor-desk.ts';

// Spec 1 §2 "Notebook": the paper; §4: `/new`.
describe('the form for a new notebook', () => {
  let desk: EditorDesk;
  let page: Page;
  beforeAll(async () => {
    desk = await EditorDesk.start();
  });
  afterAll(() => desk?.close());
  beforeEach(async () => {
    page = await desk.newPage();
    await page.goto(`${desk.service.origin}/new`);
  });
  afterEach(async () => {
    await desk.context.close();
    expect(desk.complaints).toEqual([]);
  });

  const slugState = () => page.locator('[data-slug-state]').getAttribute('data-state');
  const submit = async () => {
    await page.locator('[data-new-form] [type=submit]').click();
    await page.locator('[data-created]').waitFor();
    return new URL(await page.locator('#view-link').inputValue()).pathname;
  };

  it('offers the five papers, plain first', async () => {
    const papers = page.locator('input[name=paper]');
    await expect
      .poll(() => papers.evaluateAll(all => all.map(each => (each as HTMLInputElement).value)))
      .toEqual(['plain', 'lined', 'grid', 'dotted', 'kraft']);
    await expect.poll(() => page.locator('input[name=paper]:checked').inputValue()).toBe('plain');
  });

  it.each(['plain', 'lined', 'grid', 'dotted', 'kraft'])('makes a notebook of the paper that was chosen: %s', async paper => {
    await page.locator(`.paper-choice:has(input[value=${paper}])`).click();
    const path = await submit();
    const answer = await fetch(`${desk.service.origin}/api/notebooks/${path.split('/').at(-1)}`);
    expect(await answer.json()).toMatchObject({ paper });
    await page.goto(desk.service.origin + path);
    await expect.poll(() => page.locator(`.paper-${paper}`).count()).toBeGreaterThan(0);
  });

  it('says while the slug is typed whether it can be had, and makes the notebook there', async () => {
    const { slug: taken } = await desk.create({ slug: 'already-there', title: 'Already there' });
    await page.locator('#slug').pressSequentially(taken);
    await expect.poll(slugState).toBe('refused');
    await expect.poll(() => page.locator('#slug').getAttribute('aria-invalid')).toBe('true');
    await page.locator('#slug').fill('');
    await page.locator('#slug').pressSequentially('nobody-has-it');
    await expect.poll(slugState).toBe('available');
    expect(await submit()).toBe('/n/nobody-has-it');
  });
});
