import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { findFaults } from '../views/axe.ts';
import { CutLine } from './cut-line.ts';

let line: CutLine;
let app: NotebookApp;
let browser: Browser;
/** It has been here before, and most tests share it: to install a worker costs as much as a test. */
let visitor: BrowserContext;
/** The same, or one of the test's own. */
let context: BrowserContext;
let page: Page;

const start = (more: object = {}) => startNotebookApp({ env: { PUBLIC_URL: line.origin }, overrides: more });
const portOf = async (service: NotebookApp) => Number(new URL(await service.listen()).port);

let port: number;
/** How far the service's clock is ahead. */
let laterMillis = 0;
beforeAll(async () => {
  line = await CutLine.open();
  app = await start({ now: () => Date.now() + laterMillis });
  port = await portOf(app);
  line.lead(port);
  browser = await launchChromium();
  visitor = await browser.newContext();
});
afterAll(async () => {
  await browser?.close();
  await line?.close();
  await app?.close();
});
beforeEach(async () => {
  laterMillis = 0;
  line.mend();
  line.lead(port);
  context = visitor;
  await openWindow();
  await visit();
  await page.evaluate(() => caches.delete('octavo-kept'));
});
afterEach(async () => {
  await visitor.setOffline(false);
  await page.close();
  if (context !== visitor) await context.close();
});

async function openWindow(): Promise<void> {
  page = await context.newPage();
  page.setDefaultTimeout(30_000);
}

/** Another one, which has never been here. */
async function openOtherBrowser(): Promise<void> {
  await page.close();
  context = await browser.newContext();
  await openWindow();
}

/** Closed by its owner only. */
const lent = <Store extends object>(store: Store): Store =>
  new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'close') return async () => {};
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

const urlOf = ({ slug }: { slug: string }) => `${line.origin}/n/${slug}`;
const kept = () =>
  page.evaluate(async () => (await (await caches.open('octavo-kept')).keys()).map(({ url }) => new URL(url).pathname));
const shells = () => page.evaluate(async () => (await caches.keys()).filter(name => name.startsWith('octavo-shell-')));

/** A browser that has been here before: its worker answers for this page. */
async function visit(): Promise<void> {
  await page.goto(line.origin);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

async function read(made: CreatedNotebook, words: string): Promise<void> {
  await page.goto(urlOf(made));
  await page.getByText(words).first().waitFor();
}

/** A view that was read and is kept. */
async function readAndKept(body: object = {}): Promise<CreatedNotebook> {
  laterMillis = 0;
  const made = await app.create({ title: 'Kept title', pages: [{ markdown: 'Kept words.' }], ...body });
  await read(made, 'Kept words.');
  await expect.poll(kept).toContain(`/n/${made.slug}`);
  return made;
}

const isUnreachable = () => page.getByRole('heading', { name: 'The server can’t be reached' }).waitFor();

/** All that was read before is noted once what was read after it is. */
async function expectNothingKept(): Promise<void> {
  const other = await app.create({ pages: [{ markdown: 'Other words.' }] });
  await read(other, 'Other words.');
  await expect.poll(kept).toContain(`/n/${other.slug}`);
  expect(await kept()).toEqual([`/n/${other.slug}`]);
}

async function expectNotReadable(made: CreatedNotebook): Promise<void> {
  line.cut();
  await page.goto(urlOf(made));
  await isUnreachable();
  expect(await page.content()).not.toMatch(/Kept title|Kept words/);
}

describe('without a network', () => {
  it('shows what was read, says so, lists it, and opens the start page and quick paste', async () => {
    const made = await readAndKept({ pages: [{ markdown: '# Kept words.' }, { markdown: '# Not read' }] });
    line.cut();
    await page.reload();
    await page.getByText(/The server can’t be reached\. This is the page as you last read it, on \d/).waitFor();
    await page.getByRole('heading', { name: 'Kept words.' }).waitFor();
    await expect.poll(() => page.locator('.comments form:visible').count()).toBe(0);
    await expect.poll(() => page.evaluate(() => getComputedStyle(document.querySelector('.sheet')!).display)).toBe('flow-root');
    await page.getByRole('link', { name: 'Not read' }).first().click();
    await isUnreachable();
    await expect.poll(() => findFaults(page)).toEqual([]);
    await page.getByRole('link', { name: /Kept words/ }).press('Enter');
    await page.waitForURL(urlOf(made));
    for (const [path, words] of [
      ['/', 'A notebook you can hand to anyone'],
      ['/quick', 'Quick paste'],
      ['/new', 'New notebook'],
    ] as const) {
      await page.goto(line.origin + path);
      await page.getByRole('heading', { name: words, exact: true }).waitFor();
    }
  });

  it('says whether this device is offline, or the server out of reach', async () => {
    const made = await readAndKept();
    await context.setOffline(true);
    await page.reload();
    await page.getByText(/You’re offline\. This is the page as you last read it, on \d/).waitFor();
    await page.goto(`${line.origin}/n/never-read-here`);
    await page.getByRole('heading', { name: 'You’re offline' }).waitFor();
    expect(await page.title()).toContain('You’re offline');
    await context.setOffline(false);
    line.cut();
    await page.reload();
    await isUnreachable();
    expect(await page.title()).toContain('The server can’t be reached');
    await page.goto(urlOf(made));
    await page.getByText('The server can’t be reached. This is the page as you last read it').waitFor();
  });

  it('keeps also what was read before there was a worker', async () => {
    await openOtherBrowser();
    const made = await app.create({ title: 'First visit', pages: [{ markdown: 'First words.' }] });
    await read(made, 'First words.');
    await expect.poll(kept).toEqual([`/n/${made.slug}`]);
  });
});

it('never shows a kept view while there is a network', async () => {
  const made = await readAndKept();
  const path = `/api/notebooks/${made.slug}/pages/${made.pages[0]!.id}`;
  await app.ask('PATCH', path, { body: { markdown: 'Newer words.' }, token: made.editToken });
  await read(made, 'Newer words.');
  await expect.poll(() => page.getByText('Kept words.').count()).toBe(0);
  line.cut();
  await expect
    .poll(async () => {
      await page.reload();
      return page.locator('.prose').innerText();
    })
    .toBe('Newer words.');
});

describe('is never kept', () => {
  it('a locked notebook, once it was unlocked', async () => {
    const made = await app.create({ title: 'Kept title', password: 'key', pages: [{ markdown: 'Kept words.' }] });
    await page.goto(urlOf(made));
    await page.getByLabel('Password').fill('key');
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page.getByText('Kept words.').waitFor();
    await page.reload();
    await expectNothingKept();
    await expectNotReadable(made);
  });

  it('a notebook that opens once, opened', async () => {
    const made = await app.create({ title: 'Kept title', burnAfterRead: true, pages: [{ markdown: 'Kept words.' }] });
    await page.goto(urlOf(made));
    await page.getByRole('button', { name: 'Open it now' }).click();
    await page.getByText('Kept words.').waitFor();
    await page.reload();
    await expectNothingKept();
    await expectNotReadable(made);
  });

  it('an edit token, or the page that has it in its address', async () => {
    const made = await readAndKept();
    await page.goto(`${line.origin}/e/${made.editToken}`);
    const field = page.getByRole('textbox', { name: /^Markdown of/ });
    await field.fill('Words of its owner.');
    await field.press('Control+s');
    await page.locator('[data-save-state="saved"]').waitFor();
    await page.goto(`${line.origin}/e/${made.editToken}/print`);
    await page.getByText('Words of its owner.').waitFor();
    const everything = await page.evaluate(async () => {
      const texts: string[] = [];
      for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const key of await cache.keys())
          texts.push(key.url, JSON.stringify([...key.headers]), await (await cache.match(key))!.text());
      }
      return texts.join('\n');
    });
    expect(everything).toContain(`/n/${made.slug}`);
    expect(everything).not.toContain(made.editToken);
    expect(everything).not.toContain('Words of its owner.');
  });
});

describe('what is kept is emptied', () => {
  const change = (made: CreatedNotebook, body: object) =>
    app.ask('PATCH', `/api/notebooks/${made.slug}`, { body, token: made.editToken });

  it.each([
    ['deleted', (made: CreatedNotebook) => app.ask('DELETE', `/api/notebooks/${made.slug}`, { token: made.editToken })],
    ['made private', (made: CreatedNotebook) => change(made, { visibility: 'private' })],
    ['locked', (made: CreatedNotebook) => change(made, { password: 'key' })],
    ['made to open once', (made: CreatedNotebook) => change(made, { burnAfterRead: true })],
    [
      'expired',
      async (made: CreatedNotebook) => {
        await change(made, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
        laterMillis = 7_200_000;
      },
    ],
    ['taken down', (made: CreatedNotebook) => app.parts.store.takeDown(made.slug, Date.now())],
  ])('when the notebook was %s: at the next visit, and as soon as the network is back', async (_state, end) => {
    const visited = await readAndKept();
    await end(visited);
    await page.goto(urlOf(visited));
    await expect.poll(kept).toEqual([]);
    await expectNotReadable(visited);

    line.mend();
    const unvisited = await readAndKept();
    await page.goto(line.origin);
    await end(unvisited);
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await expect.poll(kept).toEqual([]);
    await expectNotReadable(unvisited);
  });

  it('when it expires, also while there is no network', async () => {
    const made = await readAndKept({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    line.cut();
    await page.reload();
    await page.getByText('Kept words.').waitFor();
    // As if the hour had passed.
    const told = await page.evaluate(async path => {
      const cache = await caches.open('octavo-kept');
      const answer = (await cache.match(path))!;
      const headers = new Headers(answer.headers);
      headers.set('octavo-keep', String(Date.now() - 1));
      await cache.put(path, new Response(await answer.text(), { headers }));
      return Number(answer.headers.get('octavo-keep')) - Date.now();
    }, `/n/${made.slug}`);
    expect(Math.abs(told - 3_600_000)).toBeLessThan(3_000_000);
    await page.reload();
    await isUnreachable();
    expect(await kept()).toEqual([]);
    await expectNotReadable(made);
  });

  it('when it is deleted from this browser', async () => {
    const made = await readAndKept();
    await page.evaluate(
      ([path, token]) => fetch(path!, { method: 'DELETE', headers: { 'X-Edit-Token': token! } }).then(() => undefined),
      [`/api/notebooks/${made.slug}`, made.editToken],
    );
    await expect.poll(kept).toEqual([]);
  });
});

it('survives an update of the program: what was kept is shown with the new files', async () => {
  await openOtherBrowser();
  await visit();
  const made = await readAndKept();
  const before = await shells();
  const folder = await mkdtemp(join(tmpdir(), 'octavo-release-'));
  const manifest = join(folder, '.vite', 'manifest.json');
  await cp(fileURLToPath(new URL('../../dist/client/', import.meta.url)), folder, { recursive: true });
  const text = await readFile(manifest, 'utf8');
  const style = /assets\/(site-[\w-]{8})\.css/.exec(text)![1]!;
  await rename(join(folder, 'assets', `${style}.css`), join(folder, 'assets', 'site-Newer123.css'));
  for (const ending of ['br', 'gz']) await rm(join(folder, 'assets', `${style}.css.${ending}`), { force: true });
  await writeFile(manifest, text.replaceAll(style, 'site-Newer123'));
  const newer = await start({ store: lent(app.parts.store), clientFolder: folder, now: Date.now });
  try {
    line.lead(await portOf(newer));
    await page.goto(line.origin);
    await expect.poll(async () => (await shells()).length).toBe(before.length + 1);
    await expect
      .poll(() =>
        page.evaluate(async () => {
          const { installing, waiting, active } = (await navigator.serviceWorker.getRegistration())!;
          return installing ?? waiting ?? active?.state;
        }),
      )
      .toBe('activated');
    // The old shell is kept for windows that are open; without it the kept page still finds its style.
    await page.evaluate(names => Promise.all(names.map(name => caches.delete(name))), before);
    line.cut();
    await page.goto(urlOf(made));
    await page.getByText('Kept words.').waitFor();
    await expect
      .poll(() => page.locator('link[rel="stylesheet"]').first().getAttribute('href'))
      .toBe('/assets/site-Newer123.css');
    await expect.poll(() => page.evaluate(() => getComputedStyle(document.querySelector('.sheet')!).display)).toBe('flow-root');
  } finally {
    line.lead(port);
    await newer.close();
    await rm(folder, { recursive: true });
  }
});

it('keeps the strict policy of the page that was read', async () => {
  const made = await readAndKept();
  line.cut();
  const answer = await page.goto(urlOf(made));
  expect(answer?.fromServiceWorker()).toBe(true);
  const policy = (await answer!.allHeaders())['content-security-policy'];
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toMatch(/unsafe|\*/);
});

it('OFFLINE=off takes the worker and all it kept away', async () => {
  await openOtherBrowser();
  await visit();
  await readAndKept();
  const off = await startNotebookApp({ env: { PUBLIC_URL: line.origin, OFFLINE: 'off' }, overrides: { now: Date.now } });
  try {
    line.lead(await portOf(off));
    await page.goto(line.origin);
    await expect.poll(() => page.evaluate(() => caches.keys())).toEqual([]);
    await expect.poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
  } finally {
    line.lead(port);
    await off.close();
  }
});
