import type { BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import { findFaults } from '../views/axe.ts';
import { Elsewhere, eventually, Writer } from './writer.ts';

const start = '# One\n\nabove\n\nmiddle\n\nbelow';

// Saves, retries and restarts wait for real seconds, on a busy machine for more of them.
vi.setConfig({ testTimeout: 120_000 });

let octavo: ServiceInBrowser;
let context: BrowserContext;
let elsewhere: Elsewhere;

beforeAll(async () => {
  octavo = await ServiceInBrowser.start();
});
afterAll(() => octavo?.close());
beforeEach(async () => {
  elsewhere = new Elsewhere(octavo.origin, await octavo.create({ pages: [{ markdown: start }, { markdown: '# Two' }] }));
  context = await octavo.browser.newContext();
  // A clock that can be put on, for tabs that sleep.
  await context.addInitScript(() => {
    const now = Date.now;
    Date.now = () => now() + Number(sessionStorage.getItem('asleep') ?? 0);
  });
});
afterEach(() => context.close());

/** The laptop is opened again, an hour later. */
async function wake(writer: Writer): Promise<void> {
  await writer.page.evaluate(() => {
    sessionStorage.setItem('asleep', String(Number(sessionStorage.getItem('asleep') ?? 0) + 3_600_000));
    dispatchEvent(new Event('focus'));
  });
}

describe('two tabs', () => {
  let one: Writer;
  let other: Writer;
  beforeEach(async () => {
    one = await Writer.open(context, elsewhere);
    other = await Writer.open(context, elsewhere);
  });

  it('know each other, and when one is gone', async () => {
    await one.says('Open in another tab');
    await other.says('Open in another tab');
    await other.vanish();
    await one.page.getByText('Open in another tab').waitFor({ state: 'detached' });
  });

  it('a save in one shows in the other, its caret beside the same words, back by undo', async () => {
    await other.typeAfter('below', '');
    await one.typeAfter('above', ', by one');
    await one.state('saved');
    await eventually(() => other.text()).toBe(start.replace('above', 'above, by one'));
    await expect.poll(() => other.caret()).toBe(`${start.replace('above', 'above, by one')}|`);
    await other.page.keyboard.press('Control+z');
    await expect.poll(() => other.text()).toBe(start);
  });

  it('a save in one is merged into unsaved words of the other', async () => {
    const release = await other.holdSaves();
    await other.typeAfter('below', ', by the other');
    await one.typeAfter('above', ', by one');
    await other.typeAfter('below', ', still');
    await one.state('saved');
    await release();
    await other.says('Changes from elsewhere were merged in.');
    await other.state('saved');
    const both = start.replace('above', 'above, by one').replace('below', 'below, still, by the other');
    await eventually(() => elsewhere.text()).toBe(both);
    await eventually(() => one.text()).toBe(both);
    await expect.poll(() => other.text()).toBe(both);
  });

  it('titles, order, new and deleted pages follow', async () => {
    await one.button('Rename One').click();
    await one.page.getByLabel('Page title').fill('Chapter');
    await one.page.keyboard.press('Enter');
    await eventually(() => other.titles()).toEqual(['Chapter', 'Two']);
    await one.button('Add page').click();
    await one.button('Empty page').click();
    await eventually(async () => (await other.titles()).length).toBe(3);
    await one.page.locator('.page-pick').first().click();
    await one.button('Move Chapter down').click();
    await eventually(async () => (await other.titles()).indexOf('Chapter')).toBe(1);
    await elsewhere.deletePage((await elsewhere.pages())[0]!.id);
    await wake(other);
    await eventually(async () => (await other.titles()).length).toBe(2);
  });

  it('a background tab never overwrites newer text', async () => {
    await other.page.evaluate(() => {
      // It hears nothing, as a tab that the browser has put to sleep.
      BroadcastChannel.prototype.postMessage = () => {};
    });
    await context.setOffline(true);
    await other.typeAfter('above', ', older');
    await other.state('waiting');
    await elsewhere.save(start.replace('above', 'above, newer'));
    await context.setOffline(false);
    await other.button('Keep mine').waitFor();
    await expect.poll(() => elsewhere.text()).toContain('above, newer');
  });

  it('go on with the new edit link when one of them replaces it', async () => {
    await one.button('Share').click();
    await one.button('Replace the edit link').click();
    await one.button('Replace it').click();
    await one.says('The edit link is new');
    await other.typeAfter('below', ', after the change of links');
    await other.state('saved');
    const link = await one.page.getByLabel('Edit link').inputValue();
    const renewed = new Elsewhere(octavo.origin, { ...elsewhere.made, editToken: link.split('/e/')[1]! });
    await expect.poll(() => renewed.text()).toContain('after the change of links');
  });
});

describe('two machines', () => {
  it('a tab that wakes takes newer text in before anything is typed, and asks for nothing it has', async () => {
    const writer = await Writer.open(context, elsewhere);
    await elsewhere.save(start.replace('middle', 'written while you slept'));
    await wake(writer);
    await eventually(() => writer.text()).toContain('written while you slept');
    const answer = writer.page.waitForResponse(response => response.url().endsWith('/api/notebook'));
    await wake(writer);
    expect((await answer).status()).toBe(304);
  });

  it('what was refused while the notebook was read-only goes out when it is not any more', async () => {
    const writer = await Writer.open(context, elsewhere);
    await elsewhere.changeSettings({ readOnly: true });
    await writer.typeAfter('below', ', too early');
    await writer.state('refused');
    await elsewhere.changeSettings({ readOnly: false });
    await wake(writer);
    await writer.state('saved');
    await expect.poll(() => elsewhere.text()).toBe(start.replace('below', 'below, too early'));
  });

  it('changes in different places are merged as if typed, the caret where it was', async () => {
    const writer = await Writer.open(context, elsewhere);
    await elsewhere.save(`theirs first\n\n${start.replace('middle', 'middle, theirs')}`);
    await writer.typeAfter('below', ', mine');
    await writer.says('Changes from elsewhere were merged in.');
    const merged = `theirs first\n\n${start.replace('middle', 'middle, theirs')}, mine`;
    await expect.poll(() => writer.caret()).toBe(`${merged}|`);
    await writer.state('saved');
    await expect.poll(() => elsewhere.text()).toBe(merged);
    await writer.page.keyboard.press('Control+z');
    await expect.poll(() => writer.text()).toBe(`${start}, mine`);
  });

  it('words in one line are merged when others stand between them', async () => {
    await elsewhere.save('alpha beta gamma delta');
    const writer = await Writer.open(context, elsewhere);
    await elsewhere.save('ALPHA beta gamma delta');
    await writer.typeAfter('delta', ' epsilon');
    await writer.state('saved');
    await eventually(() => elsewhere.text()).toBe('ALPHA beta gamma delta epsilon');
  });
});

describe('the same words changed twice', () => {
  let writer: Writer;
  beforeEach(async () => {
    writer = await Writer.open(context, elsewhere);
    await elsewhere.save(start.replace('middle', 'theirs'));
    await writer.field.fill(start.replace('middle', 'mine'));
    await writer.button('Keep mine').waitFor();
  });

  /** By keyboard alone: the dialog has the focus, Tab goes through it. */
  async function press(name: string): Promise<void> {
    for (let tabs = 0; tabs < 8; tabs += 1) {
      await writer.page.keyboard.press('Tab');
      if ((await writer.page.evaluate(() => document.activeElement?.textContent)) === name) break;
    }
    await expect.poll(() => writer.page.evaluate(() => document.activeElement?.textContent)).toBe(name);
    await writer.page.keyboard.press('Enter');
    await writer.state('saved');
  }

  it('stand side by side, with the difference marked', async () => {
    const [theirs, mine] = ['Their version', 'Your version'].map(name => writer.page.getByRole('region', { name }));
    await expect.poll(() => theirs!.locator('del').allTextContents()).toEqual(['theirs']);
    await expect.poll(() => mine!.locator('ins').allTextContents()).toEqual(['mine']);
    await expect.poll(() => findFaults(writer.page)).toEqual([]);
    await writer.page.keyboard.press('Escape');
    await writer.button('Choose a version').waitFor();
    await expect.poll(() => findFaults(writer.page)).toEqual([]);
  });

  it('keep mine: theirs is a version', async () => {
    const before = await elsewhere.snapshots();
    await press('Keep mine');
    await expect.poll(() => elsewhere.text()).toBe(start.replace('middle', 'mine'));
    await expect.poll(() => elsewhere.snapshots()).toBe(before + 1);
  });

  it('keep theirs: mine comes back by undo', async () => {
    await press('Keep theirs');
    await expect.poll(() => writer.text()).toBe(start.replace('middle', 'theirs'));
    await writer.field.press('Control+z');
    await expect.poll(() => writer.text()).toBe(start.replace('middle', 'mine'));
  });

  it('keep both: one below the other, in plain words', async () => {
    await press('Keep both');
    const text = await elsewhere.text();
    expect(text).toMatch(/above[\s\S]*Yours[\s\S]*mine[\s\S]*theirs[\s\S]*below/);
    expect(text).not.toMatch(/<{4}|>{4}|={4}/);
    await expect.poll(() => writer.text()).toBe(text);
  });

  it('goes on when they write again, with their newest text in the dialog', async () => {
    await elsewhere.save(start.replace('middle', 'theirs again'));
    await wake(writer);
    await writer.page.getByRole('region', { name: 'Their version' }).getByText('theirs again').waitFor();
    await press('Keep mine');
    await expect.poll(() => elsewhere.text()).toBe(start.replace('middle', 'mine'));
  });
});
