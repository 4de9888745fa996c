import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceInBrowser } from '../support/service-in-browser.ts';
import { findFaults } from '../views/axe.ts';
import { LastingWindows, withClock } from './lasting-windows.ts';
import { Elsewhere, eventually, type Writer } from './writer.ts';

const start = '# One\n\nabove\n\nmiddle\n\nbelow';

// A busy machine takes its time to open windows.
vi.setConfig({ testTimeout: 120_000 });

let octavo: ServiceInBrowser;
let elsewhere: Elsewhere;

beforeAll(async () => {
  octavo = await ServiceInBrowser.start();
});
afterAll(() => octavo?.close());

const windows = (count: number) =>
  LastingWindows.forTestsHere({
    octavo: () => octavo,
    pages: [{ markdown: start }, { markdown: '# Two' }],
    count,
    newContext: async () => {
      const context = await withClock(octavo.browser.newContext());
      // A clock that can be put on, for tabs that sleep.
      await context.addInitScript(() => {
        const now = Date.now;
        Date.now = () => now() + Number(sessionStorage.getItem('asleep') ?? 0);
      });
      return context;
    },
  });

/** The laptop is opened again, an hour later. */
async function wake(writer: Writer): Promise<void> {
  await writer.page.evaluate(() => {
    sessionStorage.setItem('asleep', String(Number(sessionStorage.getItem('asleep') ?? 0) + 3_600_000));
    dispatchEvent(new Event('focus'));
  });
}

describe('two tabs', () => {
  const open = windows(2);
  let one: Writer;
  let other: Writer;
  beforeEach(() => {
    ({ elsewhere, first: one, second: other } = open);
  });

  it('a save in one shows in the other, its caret beside the same words, back by undo', async () => {
    await other.typeAfter('below', '');
    await one.typeAfter('above', ', by one');
    await one.comesTo('saved');
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
    await one.comesTo('saved');
    await release();
    await other.comesToSay('Changes from elsewhere were merged in.');
    await other.comesTo('saved');
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

  it('go on with the new edit link when one of them replaces it', async () => {
    await one.button('Share').click();
    await one.button('Replace the edit link').click();
    await one.button('Replace it').click();
    await one.says('The edit link is new');
    await other.typeAfter('below', ', after the change of links');
    await other.comesTo('saved');
    const link = await one.page.getByLabel('Edit link').inputValue();
    elsewhere = new Elsewhere(octavo.origin, { ...elsewhere.made, editToken: link.split('/e/')[1]! });
    open.elsewhere = elsewhere;
    await expect.poll(() => elsewhere.text()).toContain('after the change of links');
  });

  it('know each other, and when one is gone', async () => {
    await one.says('Open in another tab');
    await other.says('Open in another tab');
    await other.vanish();
    await one.page.getByText('Open in another tab').waitFor({ state: 'detached' });
  });

  it('a background tab never overwrites newer text', async () => {
    await other.page.evaluate(() => {
      // It hears nothing, as a tab that the browser has put to sleep.
      BroadcastChannel.prototype.postMessage = () => {};
    });
    await open.context.setOffline(true);
    await other.typeAfter('above', ', older');
    await other.comesTo('waiting');
    await elsewhere.save(start.replace('above', 'above, newer'));
    await open.context.setOffline(false);
    await other.comesToShow(other.button('Keep mine'));
    await expect.poll(() => elsewhere.text()).toContain('above, newer');
  });
});

describe('two machines', () => {
  const open = windows(1);
  let writer: Writer;
  beforeEach(() => {
    ({ elsewhere, first: writer } = open);
  });

  it('a tab that wakes takes newer text in before anything is typed, and asks for nothing it has', async () => {
    await elsewhere.save(start.replace('middle', 'written while you slept'));
    await wake(writer);
    await eventually(() => writer.text()).toContain('written while you slept');
    const answer = writer.page.waitForResponse(response => response.url().endsWith('/api/notebook'));
    await wake(writer);
    expect((await answer).status()).toBe(304);
  });

  it('what was refused while the notebook was read-only goes out when it is not any more', async () => {
    await elsewhere.changeSettings({ readOnly: true });
    await writer.typeAfter('below', ', too early');
    await writer.comesTo('refused');
    await elsewhere.changeSettings({ readOnly: false });
    await wake(writer);
    await writer.comesTo('saved');
    await expect.poll(() => elsewhere.text()).toBe(start.replace('below', 'below, too early'));
  });

  it('changes in different places are merged as if typed, the caret where it was', async () => {
    await elsewhere.save(`theirs first\n\n${start.replace('middle', 'middle, theirs')}`);
    await writer.typeAfter('below', ', mine');
    await writer.comesToSay('Changes from elsewhere were merged in.');
    const merged = `theirs first\n\n${start.replace('middle', 'middle, theirs')}, mine`;
    await expect.poll(() => writer.caret()).toBe(`${merged}|`);
    await writer.comesTo('saved');
    await expect.poll(() => elsewhere.text()).toBe(merged);
    await writer.page.keyboard.press('Control+z');
    await expect.poll(() => writer.text()).toBe(`${start}, mine`);
  });

  it('words in one line are merged when others stand between them', async () => {
    elsewhere = await elsewhere.withFreshPages([{ markdown: 'alpha beta gamma delta' }]);
    await writer.startOver(elsewhere);
    await elsewhere.save('ALPHA beta gamma delta');
    await writer.typeAfter('delta', ' epsilon');
    await writer.comesTo('saved');
    await eventually(() => elsewhere.text()).toBe('ALPHA beta gamma delta epsilon');
  });
});

describe('the same words changed twice', () => {
  const open = windows(1);
  let writer: Writer;
  beforeEach(async () => {
    ({ elsewhere, first: writer } = open);
    await elsewhere.save(start.replace('middle', 'theirs'));
    await writer.field.fill(start.replace('middle', 'mine'));
    await writer.comesToShow(writer.button('Keep mine'));
  });

  /** By keyboard alone: the dialog has the focus, Tab goes through it. */
  async function press(name: string): Promise<void> {
    for (let tabs = 0; tabs < 8; tabs += 1) {
      await writer.page.keyboard.press('Tab');
      if ((await writer.page.evaluate(() => document.activeElement?.textContent)) === name) break;
    }
    await expect.poll(() => writer.page.evaluate(() => document.activeElement?.textContent)).toBe(name);
    await writer.page.keyboard.press('Enter');
    await writer.comesTo('saved');
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
