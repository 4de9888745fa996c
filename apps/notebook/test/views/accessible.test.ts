import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Paper } from '../../src/model/notebook.ts';
import { renderCommentRetry } from '../../src/views/comment-retry.tsx';
import { renderEditor } from '../../src/views/editor.tsx';
import { renderEmbed } from '../../src/views/embed.tsx';
import { renderError } from '../../src/views/error.tsx';
import { renderFind } from '../../src/views/find.tsx';
import { renderHome } from '../../src/views/home.tsx';
import { renderNewNotebook } from '../../src/views/new-notebook.tsx';
import { renderOffline } from '../../src/views/offline.tsx';
import { renderOpensOnce } from '../../src/views/opens-once.tsx';
import { renderPrint } from '../../src/views/print.tsx';
import type { HtmlDocument, Site } from '../../src/views/props.ts';
import { renderQuick } from '../../src/views/quick.tsx';
import { renderReport } from '../../src/views/report.tsx';
import { renderSlides } from '../../src/views/slides.tsx';
import { renderUnlock } from '../../src/views/unlock.tsx';
import { renderView } from '../../src/views/view.tsx';
import { launchChromium } from '../support/browser.ts';
import { findFaults } from './axe.ts';
import { type ClientSite, startClientSite } from './client-site.ts';
import { pageLinks, printProps, viewProps } from './samples.ts';

/** One of them with many pages, which look the same on every paper. */
const withPaper = (site: Site, paper: Paper) =>
  renderView(site, viewProps({ notebook: { ...viewProps().notebook, paper }, pages: pageLinks(paper === 'plain' ? 60 : 4) }));

const drawAll = (site: Site): Record<string, HtmlDocument> => ({
  '/': renderHome(site, { deleted: true }),
  '/new': renderNewNotebook(site, {}),
  '/quick': renderQuick(site, {}),
  '/view-plain': withPaper(site, 'plain'),
  '/view-lined': withPaper(site, 'lined'),
  '/view-grid': withPaper(site, 'grid'),
  '/view-dotted': withPaper(site, 'dotted'),
  '/view-kraft': withPaper(site, 'kraft'),
  '/view-refused': renderView(site, viewProps({ pages: pageLinks(1, 0), page: { ...viewProps().page, plain: 'nesting' } })),
  '/find': renderFind(site, { slug: 'field-notes', title: 'Field notes' }),
  '/found': renderFind(site, {
    slug: 'field-notes',
    title: 'Field notes',
    query: 'sheet',
    items: [
      {
        href: '/n/field-notes',
        title: [{ text: 'Sheet', hit: true }],
        snippet: [
          { text: 'A ', hit: false },
          { text: 'sheet', hit: true },
        ],
      },
    ],
  }),
  '/found-nothing': renderFind(site, { slug: 'field-notes', title: 'Field notes', query: 'x'.repeat(90), items: [] }),
  '/diagrams': renderView(
    site,
    viewProps({
      page: {
        ...viewProps().page,
        diagrams: true,
        html: '<h1>Sheets</h1><pre><code class="language-mermaid">flowchart LR\n A --&gt; B</code></pre>',
      },
    }),
  ),
  '/print': renderPrint(site, printProps()),
  '/embed': renderEmbed(site, viewProps()),
  '/slides': renderSlides(site, { ...viewProps(), back: '/n/field-notes' }),
  '/locked': renderUnlock(site, { slug: 'field-notes', problem: 'That password is wrong.' }),
  '/opens-once': renderOpensOnce(site, { slug: 'field-notes' }),
  '/read-once': renderView(site, viewProps({ once: { until: Date.now() + 600_000, markdown: '/n/field-notes.md' } })),
  '/offline': renderOffline(site),
  '/edit': renderEditor(site, { mode: 'stored', slug: 'unknown-here' }),
  '/comment-again': renderCommentRetry(site, {
    slug: 'field-notes',
    pageId: 'p',
    problem: 'Too long.',
    author: 'Ada',
    body: 'Look',
  }),
  '/report': renderReport(site, { slug: 'field-notes' }),
  '/report-again': renderReport(site, { slug: 'field-notes', problem: 'detail: is too long', reason: 'spam', detail: 'Look' }),
  '/report-sent': renderReport(site, { slug: 'field-notes', sent: true }),
  '/missing': renderError(site, { status: 404, title: 'There is nothing here.', code: 'not_found' }),
});

let client: ClientSite;
let browser: Browser;
let page: Page;
const complaints: string[] = [];

beforeAll(async () => {
  client = await startClientSite(drawAll);
  browser = await launchChromium();
  page = await browser.newPage({ reducedMotion: 'reduce' });
  page.on('console', message => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(error.message));
});
afterAll(async () => {
  await browser?.close();
  await client?.close();
});

const paths = Object.keys(
  drawAll({
    publicUrl: '',
    assets: { styles: {}, scripts: {}, preloadFonts: [], editorImports: [], fonts: {} },
  } as unknown as Site),
);

const schemes = ['light', 'dark'] as const;
// Each width is opened anew, in the light on one page and in the dark on the next: scripts look at both when they start. The other color
// scheme follows in the open page, where axe is loaded and compiled: loading it is most of what a visit costs.
const visits = paths.flatMap((path, place) =>
  [320, 1440].map((width, at) => {
    const opened = schemes[(place + at) % 2]!;
    return { path, width, opened, order: [opened, ...schemes.filter(scheme => scheme !== opened)] };
  }),
);

it.each(visits)(
  '$path at $width px, opened in $opened: nothing serious for axe in light and dark, no sideways scrolling, no complaint of the browser',
  async ({ path, width, opened, order }) => {
    complaints.length = 0;
    await page.emulateMedia({ colorScheme: opened });
    await page.setViewportSize({ width, height: 800 });
    await page.goto(client.origin + path);
    await page.locator('h1').first().waitFor();
    for (const colorScheme of order) {
      await page.emulateMedia({ colorScheme });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      await expect.poll(() => findFaults(page), { message: colorScheme }).toEqual([]);
      expect(overflow, colorScheme).toBeLessThanOrEqual(0);
    }
    expect(complaints).toEqual([]);
  },
);

it('every page works without JavaScript: its words are there, and what needs a script says so', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  for (const [path, words] of [
    ['/', 'A notebook you can hand to anyone'],
    ['/', 'Creating a notebook needs JavaScript'],
    ['/new', 'Creating a notebook needs JavaScript'],
    ['/quick', 'Creating a notebook needs JavaScript'],
    ['/view-lined', 'A paragraph with code'],
    ['/report', 'What is wrong with it?'],
    ['/edit', 'The editor needs JavaScript'],
  ] as const) {
    await page.goto(client.origin + path);
    await expect.poll(() => page.locator('body').innerText(), { message: path }).toContain(words);
    // Without its script a press would send the text in the address.
    for (const form of await page.locator(':is([data-quick-form], [data-new-form])').all())
      await expect.poll(() => form.locator('button[type="submit"]').isDisabled(), { message: path }).toBe(true);
  }
  await context.close();
});
