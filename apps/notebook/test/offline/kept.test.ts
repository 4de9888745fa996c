import { randomBytes } from 'node:crypto';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPasswords, type Passwords } from '../../src/operations/passwords.ts';
import { launchChromium } from '../support/browser.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { readCopies } from './copies.ts';
import { CutLine } from './cut-line.ts';

/** What the service worker keeps, loses and must not get back, where something comes between. */
let line: CutLine;
let app: NotebookApp;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let port: number;
/** The views of this test's notebooks. */
let paths: string[] = [];

/** New passwords wait for it, and so does the request that sets one. */
let gate = Promise.withResolvers<void>();
gate.resolve();

function waiting(real: Passwords): Passwords {
  return {
    ...real,
    hash: async (...asked) => {
      await gate.promise;
      return real.hash(...asked);
    },
  };
}

beforeAll(async () => {
  line = await CutLine.open();
  app = await startNotebookApp({
    env: { PUBLIC_URL: line.origin },
    overrides: { passwords: waiting(createPasswords(4)), now: Date.now },
  });
  port = Number(new URL(await app.listen()).port);
  browser = await launchChromium();
  // In a new one, the service worker would fetch the whole program first.
  context = await browser.newContext();
});
afterAll(async () => {
  await browser?.close();
  await line?.close();
  await app?.close();
});
beforeEach(async () => {
  line.mend();
  line.widen();
  line.lead(port);
  gate.resolve();
  paths = [];
  await openFirst();
});
afterEach(async () => {
  for (const window of context.pages()) await window.close();
});

async function openFirst(): Promise<void> {
  page = await openWindow();
  await page.goto(line.origin);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

async function openWindow(): Promise<Page> {
  const window = await context.newPage();
  window.setDefaultTimeout(30_000);
  return window;
}

const urlOf = ({ slug }: { slug: string }) => `${line.origin}/n/${slug}`;
async function create(markdown: string): Promise<CreatedNotebook> {
  const made = await app.create({ title: 'Kept title', pages: [{ markdown }] });
  paths.push(`/n/${made.slug}`);
  return made;
}
const lock = ({ slug, editToken }: CreatedNotebook) =>
  app.ask('PATCH', `/api/notebooks/${slug}`, { body: { password: 'key' }, token: editToken });
async function write({ slug, editToken, pages }: CreatedNotebook, markdown: string): Promise<void> {
  const path = `/api/notebooks/${slug}/pages/${pages[0]!.id}`;
  expect((await app.ask('PATCH', path, { body: { markdown }, token: editToken })).statusCode).toBe(200);
}
const kept = () =>
  page.evaluate(async ours => {
    const all = (await (await caches.open('octavo-kept')).keys()).map(({ url }) => new URL(url).pathname);
    return all.filter(path => ours.includes(path));
  }, paths);

async function readAndKept(made: CreatedNotebook, words: string): Promise<void> {
  await page.goto(urlOf(made));
  await page.getByText(words).first().waitFor();
  await expect.poll(kept).toContain(`/n/${made.slug}`);
}

/** All that was read before is noted once what was read after it is; only that is kept. */
async function expectOnlyOtherIsKept(): Promise<void> {
  const other = await create('Other words.');
  await readAndKept(other, 'Other words.');
  expect(await kept()).toEqual([`/n/${other.slug}`]);
}

/** So long that it does not come at once, whatever it is packed with. */
const longText = (first: string, last: string) =>
  [first, ...Array.from({ length: 1_500 }, () => randomBytes(24).toString('hex')), last].join('\n\n');

describe('what may be kept stays', () => {
  it('when it is shown as slides', async () => {
    const made = await create('Kept words.');
    await readAndKept(made, 'Kept words.');
    await page.goto(`${urlOf(made)}?slides`);
    await page.getByText('Kept words.').first().waitFor();
    const other = await create('Other words.');
    await readAndKept(other, 'Other words.');
    expect(await kept()).toEqual([`/n/${made.slug}`, `/n/${other.slug}`]);
  });

  it('when the network ends in the middle of the next answer', async () => {
    const made = await create(longText('Kept words.', 'To the end.'));
    await readAndKept(made, 'Kept words.');
    await write(made, longText('Newer words.', 'To the end.'));
    line.narrow(15_000, 'is cut');
    // Its beginning is here; the browser would wait for the rest for half a minute.
    await page.goto(urlOf(made), { waitUntil: 'commit' });
    line.cut();
    await page.goto(urlOf(made));
    await page.getByText('The server can’t be reached. This is the page as you last read it').waitFor();
    await page.getByText('Kept words.').first().waitFor();
  });
});

describe('what is being locked from here', () => {
  const send = (made: CreatedNotebook, from: Page) =>
    from.evaluate(
      async ([path, token]) => {
        const headers = { 'X-Edit-Token': token!, 'Content-Type': 'application/json' };
        return (await fetch(path!, { method: 'PATCH', headers, body: '{"password":"key"}' })).status;
      },
      [`/api/notebooks/${made.slug}`, made.editToken],
    );

  it('is not kept while the server has not carried it out', async () => {
    const made = await create('Kept words.');
    await readAndKept(made, 'Kept words.');
    gate = Promise.withResolvers();
    const locked = send(made, page);
    const other = await openWindow();
    await expect.poll(kept).toEqual([]);
    await other.goto(urlOf(made));
    await other.getByText('Kept words.').waitFor();
    const third = await create('Other words.');
    await other.goto(urlOf(third));
    await expect.poll(kept).toContain(`/n/${third.slug}`);
    // What was read before the third is noted by now.
    expect(await kept()).toEqual([`/n/${third.slug}`]);
    gate.resolve();
    expect(await locked).toBe(200);
    line.cut();
    await other.goto(urlOf(made));
    await other.getByRole('heading', { name: 'The server can’t be reached' }).waitFor();
    expect(await kept()).toEqual([`/n/${third.slug}`]);
  });

  it('is carried out, and not kept meanwhile, also when its window is gone', async () => {
    const made = await create('Kept words.');
    await readAndKept(made, 'Kept words.');
    gate = Promise.withResolvers();
    const leaving = await openWindow();
    await leaving.goto(line.origin);
    const locked = send(made, leaving).catch(() => {});
    await expect.poll(kept).toEqual([]);
    await leaving.close();
    await locked;
    await page.goto(urlOf(made));
    await page.getByText('Kept words.').waitFor();
    await expectOnlyOtherIsKept();
    gate.resolve();
    await expect.poll(async () => (await app.ask('GET', `/n/${made.slug}`)).statusCode).toBe(401);
    line.cut();
    await page.goto(urlOf(made));
    await page.getByRole('heading', { name: 'The server can’t be reached' }).waitFor();
  });

  it('is kept again at the next view if it may be', async () => {
    const made = await create('Kept words.');
    await readAndKept(made, 'Kept words.');
    await page.goto(`${line.origin}/e/${made.editToken}`);
    const title = page.getByRole('textbox', { name: 'Notebook title' });
    await title.fill('Another title');
    await title.press('Enter');
    await expect.poll(async () => (await app.ask('GET', `/n/${made.slug}`)).body).toContain('Another title');
    await expect
      .poll(async () => {
        await page.goto(urlOf(made));
        return kept();
      })
      .toContain(`/n/${made.slug}`);
  });
});

describe('what was locked meanwhile does not come back', () => {
  it('with an answer that was on its way', async () => {
    const made = await create(longText('Kept words.', 'To the end.'));
    await readAndKept(made, 'Kept words.');
    await write(made, longText('Newer words.', 'To the end.'));
    line.narrow(15_000, 'is held');
    await page.goto(urlOf(made), { waitUntil: 'commit' });
    await lock(made);
    const other = await openWindow();
    await other.goto(urlOf(made));
    await other.getByLabel('Password').waitFor();
    await expect.poll(kept).toEqual([]);
    line.widen();
    await page.getByText('To the end.').waitFor();
    await expectOnlyOtherIsKept();
  });

  it('with a page that the browser shows again from its own memory', async () => {
    const made = await create('Kept words.');
    await readAndKept(made, 'Kept words.');
    await page.goto(line.origin);
    await lock(made);
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await expect.poll(kept).toEqual([]);
    await page.goBack();
    await page.waitForURL(urlOf(made));
    await page.goto(line.origin);
    await expectOnlyOtherIsKept();
  });

  it('where the browser’s database does not answer', async () => {
    const made = await create('Kept words.');
    await readAndKept(made, 'Kept words.');
    const other = await openWindow();
    await other.goto(line.origin);
    // Waits for ever, and everybody after it.
    await other.evaluate(
      () =>
        new Promise<void>(resolve => {
          const opening = indexedDB.open('octavo', 1);
          opening.onsuccess = () => {
            indexedDB.deleteDatabase('octavo').onblocked = () => resolve();
          };
        }),
    );
    await lock(made);
    await page.goto(urlOf(made));
    await page.getByLabel('Password').waitFor();
    await expect.poll(kept).toEqual([]);
  });
});

it('OFFLINE=off takes the copies of the editor away too, and leaves its drafts', async () => {
  await context.close();
  context = await browser.newContext();
  await openFirst();
  await page.evaluate(
    () =>
      new Promise<void>(resolve => {
        const opening = indexedDB.open('octavo', 1);
        opening.onupgradeneeded = () => opening.result.createObjectStore('drafts');
        opening.onsuccess = () => {
          const transaction = opening.result.transaction('drafts', 'readwrite');
          transaction.objectStore('drafts').put({ notebook: 'Kept words.' }, ['a-slug', '', '', 'notebook']);
          transaction.objectStore('drafts').put('Unsaved words.', ['a-slug', 'page', 'tab', 'text']);
          transaction.oncomplete = () => {
            opening.result.close();
            resolve();
          };
        };
      }),
  );
  const off = await startNotebookApp({ env: { PUBLIC_URL: line.origin, OFFLINE: 'off' }, overrides: { now: Date.now } });
  try {
    line.lead(Number(new URL(await off.listen()).port));
    await page.goto(line.origin);
    await expect.poll(() => page.evaluate(readCopies)).toEqual({});
    await expect.poll(() => page.evaluate(() => caches.keys())).toEqual([]);
    const drafts = () =>
      page.evaluate(
        () =>
          new Promise<unknown>(resolve => {
            const opening = indexedDB.open('octavo', 1);
            opening.onsuccess = () => {
              const all = opening.result.transaction('drafts').objectStore('drafts').getAll();
              all.onsuccess = () => {
                opening.result.close();
                resolve(all.result);
              };
            };
          }),
      );
    expect(await drafts()).toEqual(['Unsaved words.']);
  } finally {
    line.lead(port);
    await off.close();
  }
});
