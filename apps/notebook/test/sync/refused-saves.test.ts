import { DatabaseSync } from 'node:sqlite';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { rateSlot } from '../../src/operations/require-rate-slot.ts';
import { launchChromium } from '../support/browser.ts';
import { type Database, sqlite } from '../support/engines.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import type { Made } from '../support/service-process.ts';
import { LastingWindows, withClock } from './lasting-windows.ts';
import { Elsewhere, eventually, Writer } from './writer.ts';

// Drafts are written and saves are sent in real time, on a busy machine in more of it.
vi.setConfig({ testTimeout: 120_000 });

const maxBytes = 5_000;
const first = `# One\n\n${'a'.repeat(1_000)}`;
const second = `# Two\n\n${'b'.repeat(3_000)}`;
const longer = `# One\n\n${'c'.repeat(2_500)}`;

let database: Database;
let app: NotebookApp;
let origin: string;
let browser: Browser;
let context: BrowserContext;
let elsewhere: Elsewhere;
let writer: Writer;

beforeAll(async () => {
  database = await sqlite.createDatabase();
  app = await startNotebookApp({
    engine: { ...sqlite, createDatabase: async () => database },
    env: { MAX_NOTEBOOK_BYTES: String(maxBytes), RATE_LIMITS: 'on' },
  });
  origin = await app.listen();
  browser = await launchChromium();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await app?.close();
});

const create = async (): Promise<Made> => {
  const { slug, editToken, pages } = await app.create({ pages: [{ markdown: first }, { markdown: second }] });
  return { slug, editToken, pageId: pages[0]!.id };
};
const newContext = () => withClock(browser.newContext());

/** Two seconds after the last key. */
const saveNow = () => context.clock.runFor(2_000);
const pick = (on: Writer, title: string) => on.page.locator('.page-pick', { hasText: new RegExp(`^${title}`) });
async function deleteTwo(on: Writer): Promise<void> {
  await pick(on, 'Two').click();
  await on.button('Delete Two').click();
  await on.says('Deleted “Two”.');
  // While the pointer or the focus is on Undo, the time for it stands still.
  await on.field.click();
}
/** The saves that this window sends. */
function countSaves(on: Writer): () => number {
  let count = 0;
  on.page.on('request', request => {
    if (request.method() === 'PATCH' && request.url().includes('/pages/')) count += 1;
  });
  return () => count;
}

/** So many windows for all tests around, with a text in the first one that has no room. */
function openTooFull(count: number): LastingWindows {
  const open = LastingWindows.forTestsHere({
    octavo: () => ({ origin, create }),
    pages: [{ markdown: first }, { markdown: second }],
    count,
    newContext,
  });
  beforeEach(async () => {
    ({ context, elsewhere, first: writer } = open);
    await writer.field.fill(longer);
    await saveNow();
    await writer.state('refused');
    await writer.says(
      'Not saved: This notebook holds as much text as it can. Its pages may hold 4.9 KiB of text together. Shorten or delete pages, or continue in a new notebook – kept on this device, and saved when there is room',
    );
    await eventually(() => writer.drafts()).toContain(longer);
    expect(await elsewhere.text()).toBe(first);
  });
  return open;
}

const expectSaved = async () => {
  await eventually(() => elsewhere.text()).toBe(longer);
  await writer.state('saved');
  await eventually(() => writer.drafts()).toEqual([]);
};

describe('a text that the full notebook does not take', () => {
  openTooFull(1);

  it('is saved by itself when another page is deleted here', async () => {
    await deleteTwo(writer);
    await context.clock.runFor(10_500);
    await expectSaved();
  });

  it('is saved by itself when another page is shortened here', async () => {
    await pick(writer, 'Two').click();
    await eventually(() => writer.text()).toBe(second);
    await writer.field.fill('# Two');
    await saveNow();
    await expectSaved();
  });

  it('is saved by itself, a minute later, when another machine makes room', async () => {
    await elsewhere.save('# Two', (await elsewhere.pages())[1]!.id);
    await context.clock.fastForward(60_000);
    await expectSaved();
  });

  it('is there in a new window, and saved from it when there is room', async () => {
    await writer.vanish();
    writer = await Writer.open(context, elsewhere);
    await writer.says(/Unsaved text from .* was restored/);
    await eventually(() => writer.text()).toBe(longer);
    await writer.state('refused');
    await deleteTwo(writer);
    await context.clock.runFor(10_500);
    await expectSaved();
  });
});

describe('a text that the full notebook does not take', () => {
  const open = openTooFull(2);

  it('is saved by itself when another page is shortened in another tab', async () => {
    const other = open.second;
    await pick(other, 'Two').click();
    await eventually(() => other.text()).toBe(second);
    await other.field.fill('# Two');
    await saveNow();
    await expectSaved();
  });

  it('is saved by itself when another page is deleted in another tab', async () => {
    const other = open.second;
    await deleteTwo(other);
    await context.clock.runFor(10_500);
    await expectSaved();
  });
});

describe('in a window of its own', () => {
  beforeEach(async () => {
    elsewhere = new Elsewhere(origin, await create());
    context = await newContext();
  });
  afterEach(() => context.close());

  it('a page of more than 1 MiB is not sent, says by how much, is kept, and is saved once it is short enough', async () => {
    writer = await Writer.open(context, elsewhere);
    const saves = countSaves(writer);
    const long = 'x'.repeat(1_048_577);
    // A million characters take a browser seconds of its processor's time.
    await writer.field.fill(long, { timeout: 90_000 });
    await saveNow();
    await writer.says('Not saved: This page is 1 byte too long: a page holds 1 MiB (1,048,576 bytes).');
    await eventually(async () => (await writer.drafts()).some(draft => draft === long)).toBe(true);
    expect(saves()).toBe(0);
    await writer.field.fill('# One\n\nshort again');
    await saveNow();
    await eventually(() => elsewhere.text()).toBe('# One\n\nshort again');
    await writer.state('saved');
  });

  it('a limit of writes is said with its end, nothing is sent before it, and then the text is saved', async () => {
    const { slug, editToken: token, pageId } = elsewhere.made;
    // All but the last are counted as the service counts them, without their texts: 600 requests take seconds of the processor.
    const { id } = (await app.parts.store.findNotebookBySlug(slug))!;
    const slot = rateSlot(app.parts, 'contentWrite', `127.0.0.1 ${id}`)!;
    for (let write = 0; write < 599; write += 1) await app.parts.store.takeRateSlot(slot, app.clock.now);
    const save = (markdown: string) => app.ask('PATCH', `/api/notebooks/${slug}/pages/${pageId}`, { token, body: { markdown } });
    expect((await save('# One\n\nwrite 599')).statusCode).toBe(200);
    expect((await save('# One\n\nwrite 600')).statusCode).toBe(429);
    writer = await Writer.open(context, elsewhere);
    const saves = countSaves(writer);
    await writer.typeAfter('write 599', ', and one more');
    await saveNow();
    await writer.says(/Not saved \(Too many changes at once\. Saving goes on at \d+:\d\d.*\) – kept on this device/);
    await eventually(() => writer.drafts()).toContain('# One\n\nwrite 599, and one more');
    await writer.typeAfter('more', ', and on');
    await context.clock.fastForward(500_000);
    expect([saves(), await elsewhere.text()]).toEqual([1, '# One\n\nwrite 599']);
    app.clock.now += 601_000;
    // A second at a time: the answer comes in real time, and must not come after the request's own time limit.
    const textASecondLater = async () => {
      await context.clock.runFor(1_000);
      return elsewhere.text();
    };
    await eventually(textASecondLater).toBe('# One\n\nwrite 599, and one more, and on');
    await writer.state('saved');
  });

  it('an outage of the database is said, the text is kept, and is saved once it is over', async () => {
    writer = await Writer.open(context, elsewhere);
    const lock = new DatabaseSync(database.url.slice('sqlite:'.length), { timeout: 10_000 });
    lock.exec('BEGIN IMMEDIATE');
    await writer.field.fill('# One\n\nin the outage');
    await saveNow();
    await writer.page.locator('[data-save-state="waiting"]').waitFor({ timeout: 60_000 });
    await writer.says('Not saved (The service cannot save right now. It keeps trying) – kept on this device');
    await eventually(() => writer.drafts()).toContain('# One\n\nin the outage');
    lock.exec('ROLLBACK');
    lock.close();
    await context.clock.runFor(10_000);
    await eventually(() => elsewhere.text()).toBe('# One\n\nin the outage');
    await writer.state('saved');
  });
});
