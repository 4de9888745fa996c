import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Renderer } from '../../src/markdown/rendered.ts';
import { launchChromium } from '../support/browser.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { shareRenderer } from '../support/shared-renderer.ts';
import { findFaults } from './axe.ts';

let app: NotebookApp;
let origin: string;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let complaints: string[];
/** The renderer waits for it. */
let gate = Promise.withResolvers<void>();

function waiting(real: Renderer): Renderer {
  return {
    engine: real.engine,
    close: () => real.close(),
    render: async (...asked) => {
      await gate.promise;
      return real.render(...asked);
    },
  };
}

beforeAll(async () => {
  app = await startNotebookApp({
    overrides: { renderer: waiting(shareRenderer()), now: () => Date.now() },
  });
  origin = (await app.listen()).replace('localhost', '127.0.0.1');
  browser = await launchChromium();
});
afterAll(async () => {
  gate.resolve();
  await browser?.close();
  await app?.close();
});
afterEach(async () => {
  gate.resolve();
  await context?.close();
  expect(complaints).toEqual([]);
});

const busyWords = 'shown as plain text, because the service is busy';
const notice = () => page.locator('[data-later]');
const link = () => page.getByRole('link', { name: 'Show the rendered page' });
const said = () => page.locator('body > [role=status]').allTextContents();
/** Chapters of lines that are known again. */
const long = (chapters: number) =>
  Array.from(
    { length: chapters },
    (_, at) => `## Chapter ${at}\n\n${`The *story* of chapter ${at} goes on and on. `.repeat(12)}`,
  ).join('\n\n');

/** A new window on a page whose rendering is not there. Its clock is the test's. */
async function openBusy(
  path: string,
  { asKept = false, ...options }: { javaScriptEnabled?: boolean; cookies?: boolean; asKept?: boolean } = {},
): Promise<void> {
  context = await browser.newContext({ viewport: { width: 900, height: 600 }, ...options });
  page = await context.newPage();
  complaints = [];
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(String(error)));
  if (options.javaScriptEnabled !== false) await stopClock();
  if (asKept) await page.route(origin + path, markAsKept);
  await page.goto(origin + path);
  await page.getByText(busyWords).waitFor();
}

/** As the service worker shows a copy. */
async function markAsKept(route: Route): Promise<void> {
  const response = await route.fetch();
  await route.fulfill({ response, body: (await response.text()).replace('<html ', '<html data-offline ') });
}

async function createBusy(
  markdown: string,
  body: object = {},
): Promise<{ slug: string; editToken: string; pages: { id: string }[] }> {
  gate = Promise.withResolvers();
  return app.create({ pages: [{ markdown }], ...body });
}

/** Counts what the page asks from here on. */
function countAsked(): { paths: string[]; tags: (string | undefined)[]; answers: number[] } {
  const seen = { paths: [] as string[], tags: [] as (string | undefined)[], answers: [] as number[] };
  page.on('request', request => {
    if (request.resourceType() !== 'xhr') return;
    seen.paths.push(new URL(request.url()).pathname);
    seen.tags.push(request.headers()['if-none-match']);
  });
  page.on('response', response => response.request().resourceType() === 'xhr' && seen.answers.push(response.status()));
  return seen;
}

/** The rendering is there: the next look of anybody gets it. */
async function finish(path: string): Promise<void> {
  gate.resolve();
  await expect.poll(async () => (await app.ask('GET', path)).body).not.toContain(busyWords);
}

/** Timers run when the test lets them. */
async function stopClock(): Promise<void> {
  await page.clock.install({ time: Date.now() });
  await page.clock.pauseAt(Date.now() + 3_600_000);
}

/** Lets the page's clock run to its first question, and not much further. */
const firstQuestion = () => page.clock.runFor(3_000);
/** The longest pause there is. */
const nextQuestion = () => page.clock.runFor(90_000);

describe('with a script', () => {
  it('the page is rendered in its place as soon as it can be, told once, and reads as one that was rendered at once', async () => {
    const { slug } = await createBusy(`# Title\n\n${long(3)}\n\n\`\`\`js\nlet a = 1\n\`\`\``);
    await openBusy(`/n/${slug}`);
    await expect.poll(() => notice().textContent()).toContain('We’ll show it here as soon as it’s rendered.');
    await expect.poll(() => page.locator('h1').count()).toBe(1);
    await finish(`/n/${slug}`);
    await firstQuestion();
    await page.getByRole('heading', { name: 'Chapter 2' }).waitFor();
    await expect.poll(() => notice().count()).toBe(0);
    await expect.poll(() => page.locator('h1').allTextContents()).toEqual(['Title']);
    await expect.poll(() => page.locator('.toc-beside').count()).toBe(1);
    await expect.poll(said).toContain('The page is rendered now.');
    await page.getByRole('button', { name: 'Copy the code' }).waitFor();
    await page.clock.resume();
    expect(await findFaults(page)).toEqual([]);
    const shown = (window: Page) => window.locator('.reader').evaluate(reader => reader.outerHTML);
    const inPlace = await shown(page);
    await page.reload();
    await page.getByRole('button', { name: 'Copy the code' }).waitFor();
    expect(inPlace).toBe(await shown(page));
  });

  it('asks the same address with what it has, ever more rarely and not for ever, and only while it is seen', async () => {
    const { slug, pages } = await createBusy('*late*');
    const path = `/n/${slug}/p/${pages[0]!.id}`;
    await openBusy(path);
    const seen = countAsked();
    for (let questions = 0; questions < 11; questions++) {
      await nextQuestion();
      await expect.poll(() => seen.answers.length).toBe(questions + 1);
    }
    await expect.poll(() => notice().textContent()).toContain('It isn’t rendered yet.');
    await nextQuestion();
    await nextQuestion();
    expect(new Set(seen.paths)).toEqual(new Set([path]));
    expect(seen.answers).toEqual([200, ...Array(10).fill(304)]);
    expect(seen.tags.slice(1).every(tag => tag !== undefined)).toBe(true);
    // A press asks all the same.
    await finish(path);
    await link().click();
    await page.locator('.prose em').waitFor();
  });

  it('asks nothing while the tab is hidden', async () => {
    const { slug } = await createBusy('*hidden*');
    await openBusy(`/n/${slug}`);
    const seen = countAsked();
    const hide = (hidden: boolean) =>
      page.evaluate(isHidden => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    await hide(true);
    await nextQuestion();
    await nextQuestion();
    expect(seen.paths).toEqual([]);
    await hide(false);
    await page.clock.runFor(10);
    await expect.poll(() => seen.answers).toEqual([200]);
  });

  it('asks nothing in a copy that was kept for reading offline', async () => {
    const { slug } = await createBusy('*kept before*');
    await openBusy(`/n/${slug}`, { asKept: true });
    const seen = countAsked();
    await firstQuestion();
    await nextQuestion();
    expect(seen.paths).toEqual([]);
    // But a press asks.
    await link().click();
    await expect.poll(() => seen.answers).toEqual([200]);
  });

  it('waits as long as the service asks it to, also after a press', async () => {
    const { slug } = await createBusy('*shed*');
    await openBusy(`/n/${slug}`);
    const seen = countAsked();
    await page.route('**/n/*', route =>
      route.fulfill({ status: 503, headers: { 'retry-after': '600' }, contentType: 'text/html', body: 'no' }),
    );
    await nextQuestion();
    await expect.poll(() => seen.answers).toEqual([503]);
    complaints.length = 0;
    await page.unroute('**/n/*');
    await link().click();
    await expect.poll(said).toContain('It isn’t rendered yet.');
    await page.clock.runFor(500_000);
    expect(seen.paths).toHaveLength(1);
    await finish(`/n/${slug}`);
    await page.clock.runFor(110_000);
    await page.locator('.prose em').waitFor();
  });

  it('a comment that is being written keeps its words, its cursor and its place', async () => {
    const { slug } = await createBusy(long(30));
    await openBusy(`/n/${slug}`);
    await page.getByText('Write a comment').click();
    const field = page.getByRole('textbox', { name: 'Comment' });
    await field.fill('Half a thou');
    const top = () => field.evaluate(element => Math.round(element.getBoundingClientRect().top));
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    const before = await top();
    await finish(`/n/${slug}`);
    await firstQuestion();
    await page.getByRole('heading', { name: 'Chapter 29' }).waitFor({ state: 'attached' });
    await expect.poll(top).toBe(before);
    await page.keyboard.type('ght');
    await expect.poll(() => field.inputValue()).toBe('Half a thought');
    await expect.poll(() => page.locator('.comments details').getAttribute('open')).not.toBeNull();
  });

  it('the words that were read stay at the upper edge', async () => {
    const { slug } = await createBusy(`[a link](https://example.org/${'x'.repeat(3_000)})\n\n${long(30)}`);
    await openBusy(`/n/${slug}`);
    const place = (words: string) =>
      page.locator('.prose').evaluate((prose, sought) => {
        const walker = document.createTreeWalker(prose, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
          const at = node.data.indexOf(sought);
          if (at < 0) continue;
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + sought.length);
          return Math.round(range.getBoundingClientRect().top);
        }
        return Number.NaN;
      }, words);
    await page.evaluate(by => scrollBy(0, by), (await place('of chapter 17 goes')) - 3);
    await expect.poll(() => place('of chapter 17 goes')).toBeLessThan(10);
    await finish(`/n/${slug}`);
    await firstQuestion();
    await page.getByRole('heading', { name: 'Chapter 17' }).waitFor({ state: 'attached' });
    await expect.poll(async () => Math.abs((await place('of chapter 17 goes')) - 3)).toBeLessThan(6);
  });

  it('what is selected is not taken away: the page is offered, and shown when the selection is gone', async () => {
    const { slug } = await createBusy('Some **bold** words');
    await openBusy(`/n/${slug}`);
    await page.locator('.prose pre').dblclick({ position: { x: 20, y: 12 } });
    await finish(`/n/${slug}`);
    await firstQuestion();
    await expect.poll(() => notice().textContent()).toContain('The rendered page is ready.');
    await expect.poll(said).toContain('The rendered page is ready.');
    expect(await page.evaluate(() => String(getSelection()).trim())).not.toBe('');
    await page.mouse.click(5, 590);
    await page.clock.runFor(10);
    await page.locator('.prose strong').waitFor();
    expect(await said()).not.toContain('The page is rendered now.');
  });

  it('a press shows it despite a selection, and the keyboard goes on in the text', async () => {
    const { slug } = await createBusy('Some **bold** words');
    await openBusy(`/n/${slug}`);
    await page.evaluate(() => getSelection()!.selectAllChildren(document.querySelector('.prose')!));
    await finish(`/n/${slug}`);
    await firstQuestion();
    await expect.poll(() => notice().textContent()).toContain('The rendered page is ready.');
    await link().focus();
    await page.keyboard.press('Enter');
    await page.locator('.prose strong').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  });

  it('the heading that the address names is found once it is there', async () => {
    const { slug } = await createBusy(long(30));
    await openBusy(`/n/${slug}#chapter-25`);
    await finish(`/n/${slug}`);
    await firstQuestion();
    const heading = page.getByRole('heading', { name: 'Chapter 25' });
    await heading.waitFor({ state: 'attached' });
    await expect.poll(() => heading.evaluate(element => element.getBoundingClientRect().top)).toBeLessThan(300);
  });

  it('diagrams are drawn, pictures open large', async () => {
    const { slug } = await createBusy('```mermaid\nflowchart LR\n  A --> B\n```\n\n![a dot](data:image/png;base64,AA==)\n');
    await openBusy(`/n/${slug}`);
    await finish(`/n/${slug}`);
    await firstQuestion();
    await page.locator('.prose').getByText('flowchart').or(page.locator('.prose svg, .prose img')).first().waitFor();
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.diagrams), { timeout: 60_000 }).toBe('drawn');
  });

  it('is kept for reading offline as it is shown in the end', async () => {
    const { slug } = await createBusy('*kept*');
    await openBusy(`/n/${slug}`);
    const kept = () => page.evaluate(async path => (await (await caches.match(path))?.text()) ?? '', `/n/${slug}`);
    await expect.poll(kept).toContain(busyWords);
    await finish(`/n/${slug}`);
    await firstQuestion();
    await page.locator('.prose em').waitFor();
    await expect.poll(kept).toContain('<em>kept</em>');
  });

  it('in a frame on another site, too', async () => {
    const { slug } = await createBusy('*framed*', { embedding: true, visibility: 'unlisted' });
    await openBusy(`/n/${slug}/embed`);
    await finish(`/n/${slug}/embed`);
    await firstQuestion();
    await page.locator('.prose em').waitFor();
    await expect.poll(() => notice().count()).toBe(0);
  });
});

describe('where not everybody may read', () => {
  it('what opens once: asking again changes nothing, and when the time is over the text stays', async () => {
    const { slug } = await createBusy('*once*', { burnAfterRead: true });
    context = await browser.newContext();
    page = await context.newPage();
    complaints = [];
    await stopClock();
    await page.goto(`${origin}/n/${slug}`);
    await page
      .getByRole('button')
      .filter({ hasText: /open|read/i })
      .first()
      .click();
    await page.getByText(busyWords).waitFor();
    // Its script has run, and waits for the clock.
    await page.waitForLoadState();
    const cookies = JSON.stringify(await context.cookies());
    const opened = (await app.parts.store.findNotebookBySlug(slug))!.openedAt;
    const seen = countAsked();
    await page.clock.runFor(3_500);
    await expect.poll(() => seen.answers).toEqual([200]);
    expect(JSON.stringify(await context.cookies())).toBe(cookies);
    expect((await app.parts.store.findNotebookBySlug(slug))!.openedAt).toBe(opened);
    // As after ten minutes.
    await context.clearCookies();
    await page.clock.runFor(10_000);
    await expect.poll(() => notice().textContent()).toContain('It can’t be loaded again.');
    await expect.poll(() => link().count()).toBe(0);
    await expect.poll(() => page.locator('.prose').textContent()).toContain('*once*');
  });

  it('what is locked again meanwhile shows nothing new', async () => {
    const { slug } = await createBusy('*secret*', { password: 'correct horse battery' });
    context = await browser.newContext();
    page = await context.newPage();
    complaints = [];
    await stopClock();
    await page.goto(`${origin}/n/${slug}`);
    await page.locator('input[type=password]').fill('correct horse battery');
    await page.keyboard.press('Enter');
    await page.getByText(busyWords).waitFor();
    await page.waitForLoadState();
    const seen = countAsked();
    await context.clearCookies();
    await finishLocked(slug);
    await firstQuestion();
    await expect.poll(() => seen.answers).toEqual([401]);
    await expect.poll(() => notice().textContent()).toContain('It can’t be loaded again.');
    await expect.poll(() => page.locator('.prose').textContent()).toContain('*secret*');
    complaints.length = 0;
  });

  async function finishLocked(slug: string): Promise<void> {
    gate.resolve();
    expect((await app.ask('GET', `/n/${slug}`)).statusCode).toBe(401);
  }
});

it('without a script the notice has a link that shows the page, and nothing is loaded by itself', async () => {
  const { slug } = await createBusy('*plain*');
  await openBusy(`/n/${slug}`, { javaScriptEnabled: false });
  await expect.poll(() => page.locator('meta[http-equiv]').count()).toBe(0);
  await finish(`/n/${slug}`);
  await link().click();
  await page.locator('.prose em').waitFor();
});
