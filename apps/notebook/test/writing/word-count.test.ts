import { afterAll, beforeAll, expect, it } from 'vitest';
import { EditorDesk } from '../views/editor-desk.ts';

let desk: EditorDesk;
beforeAll(async () => {
  desk = await EditorDesk.start();
});
afterAll(() => desk?.close());

it('counts the open page as it is written, and says nothing aloud', async () => {
  const page = await desk.newPage();
  await desk.open(
    page,
    await desk.create({
      pages: [
        { title: 'A', markdown: 'One two three.' },
        { title: 'B', markdown: '' },
      ],
    }),
  );
  const count = () => page.locator('.word-count').innerText();
  await expect.poll(count).toBe('3 words, 14 characters');
  await page.getByRole('textbox', { name: /^Markdown of/ }).fill('日本語の文章');
  await expect.poll(count).toBe('3 words, 6 characters');
  await page.getByRole('textbox', { name: /^Markdown of/ }).fill('One');
  await expect.poll(count).toBe('1 word, 3 characters');
  await expect.poll(() => page.locator('[role="status"] .word-count, [aria-live] .word-count').count()).toBe(0);
  await expect.poll(() => page.locator('#field-keys').innerText()).not.toContain('word');
  await desk.context.close();
});
