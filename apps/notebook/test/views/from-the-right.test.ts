import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { renderComments } from '../../src/views/comments.tsx';
import { renderFind } from '../../src/views/find.tsx';
import { renderView } from '../../src/views/view.tsx';
import { launchChromium } from '../support/browser.ts';
import { type ClientSite, startClientSite } from './client-site.ts';
import { viewProps } from './samples.ts';

const words = 'هذا دليل قصير للحقول والنباتات كتب بالعربية حتى يعرف القارئ كيف تقرأ هذه الكلمات كلها من اليمين';
const markdown = `# دليل\n\n${words}\n\n## أول\n\n> [!WARNING]\n> ${words}\n\n> ${words}\n\n> An English quote, with more words in it.\n\n## ثان\n\n${words} \`run()\` ثم <kbd>key()</kbd>`;
const title = 'دفتر (2026)!';
const comment = { id: 'c1', notebookId: 'n1', author: 'قارئ', body: 'تعليق عربي!\nEnglish line.', pageId: 'p1', createdAt: 0 };

let site: ClientSite;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  const { page: own } = viewProps();
  const link = (id: string) => ({ id, title: 'صفحة عربية', href: `/n/field-notes/p/${id}` });
  site = await startClientSite(client => ({
    '/view': renderView(
      client,
      viewProps({
        page: { ...own, ...renderMarkdown(markdown), facts: own.facts },
        previous: link('p0'),
        next: link('p2'),
        comments: { count: 1, html: renderComments([comment]) },
      }),
    ),
    '/plain': renderView(
      client,
      viewProps({ page: { ...own, plain: 'time', html: '<pre>\nهذا نص قصير\nAn English line.</pre>', headings: [] } }),
    ),
    '/find': renderFind(client, { slug: 'field-notes', title }),
  }));
  browser = await launchChromium();
  page = await browser.newPage({ viewport: { width: 600, height: 900 } });
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** The box of some characters, beside the box of the element that they stand in. */
const place = (selector: string, sought: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element, text) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
        const at = node.data.indexOf(text);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + text.length);
        const [inner, outer] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
        return { left: Math.round(inner.left - outer.left), right: Math.round(outer.right - inner.right) };
      }
      throw new Error(`no ${text}`);
    }, sought);

it('an alert keeps its words away from its rule, on whichever side that is', async () => {
  await page.goto(`${site.origin}/view`);
  expect((await place('.markdown-alert', 'هذا')).right).toBeGreaterThan(15);
  expect((await place('.markdown-alert', 'Warning')).right).toBe((await place('.markdown-alert', 'هذا')).right);
});

it('a quote from the right is not slanted, an English one beside it is', async () => {
  const styles = await page
    .locator('.prose > blockquote')
    .evaluateAll(quotes => quotes.map(quote => getComputedStyle(quote).fontStyle));
  expect(styles).toEqual(['normal', 'italic']);
});

it('the contents within the text are folded in our language and direction, each heading in its own', async () => {
  const contents = page.locator('.toc-inside');
  const own = await contents.evaluate((element: HTMLElement) => [element.lang, getComputedStyle(element).direction]);
  expect(own).toEqual(['en', 'ltr']);
  await contents.locator('summary').click();
  expect(
    await contents
      .locator('a')
      .first()
      .evaluate(link => getComputedStyle(link).direction),
  ).toBe('rtl');
});

it.each([
  ['code', 'run'],
  ['kbd', 'key'],
])('%s in an Arabic sentence keeps its own order', async (tag, name) => {
  const selector = `.prose p > ${tag}`;
  expect((await place(selector, name)).left).toBeLessThan((await place(selector, '()')).left);
});

it('a heading is called by its words, and the link to it beside them', async () => {
  await page.getByRole('heading', { name: 'أول', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Link to “أول”', exact: true }).waitFor({ state: 'attached' });
});

it('the pager’s title stands below its word', async () => {
  expect(
    Math.abs((await place('.pager [rel=prev]', 'صفحة عربية')).left - (await place('.pager [rel=prev]', 'Previous')).left),
  ).toBe(0);
  expect(
    Math.abs((await place('.pager [rel=next]', 'صفحة عربية')).right - (await place('.pager [rel=next]', 'Next')).right),
  ).toBe(0);
});

it.each([
  ['a comment', '/view', '.comment-body', 'تعليق', 'English line'],
  ['a text that is shown plain', '/plain', '.prose pre', 'هذا', 'An English line'],
])('each line of %s runs by its own words', async (_, path, selector, arabic, english) => {
  await page.goto(site.origin + path);
  const [one, other] = [await place(selector, arabic), await place(selector, english)];
  expect(one.right).toBeLessThan(one.left);
  expect(other.left).toBeLessThan(other.right);
  // The full stop stands behind the words.
  expect((await place(selector, english)).left).toBeLessThan((await place(selector, `${english.at(-1)}.`)).left);
});

it('a title in a heading of ours keeps its own order', async () => {
  await page.goto(`${site.origin}/find`);
  expect((await place('h1', '!')).left).toBeLessThan((await place('h1', '2026')).left);
  expect((await place('h1', '2026')).left).toBeLessThan((await place('h1', 'دفتر')).left);
});
