import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { browserEngines, type StartedBrowser } from '../support/browser-window.ts';
import { OwnService } from '../support/own-service.ts';
import { eventually, Person } from '../support/person.ts';
import type { Made } from '../support/service-process.ts';
import { pagesNamed } from '../views/editor-desk.ts';

vi.setConfig({ testTimeout: 90_000 });

let octavo: OwnService;
beforeAll(async () => {
  octavo = await OwnService.start();
});
afterAll(() => octavo?.close());

interface StoredPage {
  readonly id: string;
  readonly title: string;
  readonly markdown: string;
}

// The whole of it is tried in Chromium (test/views/page-list.test.ts); here is what hangs on an engine's pointer, keys and focus.
describe.each(browserEngines)('the pages in $name', ({ missing, start }) => {
  let browser: StartedBrowser;
  let person: Person;
  let made: Made;
  let pages: readonly StoredPage[];
  beforeAll(async () => {
    if (missing) return;
    browser = await start();
    person = new Person(browser.window, octavo.origin);
  });
  afterAll(() => browser?.close());
  // All but the last leave the window where it is, so that one editor serves them all; its pages are put back through the API.
  beforeEach(async () => {
    if (missing) return;
    if (await person.hasEditor()) await putBack();
    else {
      made = await octavo.create(pagesNamed('One', 'Two', 'Three'));
      pages = await readPages();
      await person.openEditor(made);
    }
    // What comes late (typefaces, the preview, the question about the list) moves the rows: a hand waits for it.
    await person.sees('.page-actions');
    await person.sees('.session-note');
    await person.sees('.preview-pane[data-shown="true"] h1');
    await person.window.run(() => document.fonts.ready.then(() => {}), undefined);
  });

  async function putBack(): Promise<void> {
    await person.sees('[data-save-state="saved"]');
    const headers = { 'content-type': 'application/json', 'x-edit-token': made.editToken };
    const change = async (path: string, body: object) => {
      const answer = await fetch(`${octavo.origin}/api/notebooks/${made.slug}${path}`, {
        method: 'PATCH',
        headers,
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(200);
    };
    await change('', { pageOrder: pages.map(({ id }) => id) });
    for (const { id, title, markdown } of pages) await change(`/pages/${id}`, { title, markdown });
    // The window looks for changes when the network comes back.
    await person.window.run(() => void dispatchEvent(new Event('online')), undefined);
    await eventually(titles).toEqual(['One', 'Two', 'Three']);
    await person.click('One');
    await eventually(() => person.value('#markdown-field')).toBe(pages[0]!.markdown);
  }

  const titles = () =>
    person.window.run(
      () => [...document.querySelectorAll('.page-pick')].map(pick => (pick.firstChild?.textContent ?? '').trim()),
      undefined,
    );
  async function readPages(): Promise<readonly StoredPage[]> {
    const answer = await fetch(`${octavo.origin}/api/notebook`, { headers: { 'x-edit-token': made.editToken } });
    return ((await answer.json()) as { pages: StoredPage[] }).pages;
  }
  const stored = async () => (await readPages()).map(({ title }) => title);
  const onto = async (title: string, below = 0) => {
    const { x, y } = await person.placeOf(title);
    return { x, y: y + below };
  };

  it.skipIf(missing)('move by drag, and the open page stays open', async () => {
    await person.drag(await onto('Three'), await onto('One', -8), () => person.sees('.drop-line'));
    await eventually(stored).toEqual(['Three', 'One', 'Two']);
    await expect.poll(() => titles()).toEqual(['Three', 'One', 'Two']);
    await expect.poll(() => person.value('#markdown-field')).toContain('# One');
    await person.click('Two');
    await eventually(() => person.value('#markdown-field')).toContain('# Two');
  });

  it.skipIf(missing)('stay when Escape ends the drag', async () => {
    await person.drag(await onto('Three'), await onto('One', -8), async () => {
      await person.sees('.drop-line');
      await person.window.press('Escape');
    });
    await expect.poll(() => person.isSeen('.drop-line')).toBe(false);
    await expect.poll(() => titles()).toEqual(['One', 'Two', 'Three']);
    await expect.poll(() => stored()).toEqual(['One', 'Two', 'Three']);
  });

  it.skipIf(missing)('move with Alt and the arrows, keeping the focus, and are renamed with F2', async () => {
    await person.focus('One');
    await person.window.press('ArrowDown');
    await eventually(() => person.focused()).toBe('Two');
    await person.window.press('Alt+ArrowUp');
    await eventually(titles).toEqual(['Two', 'One', 'Three']);
    await eventually(() => person.focused()).toBe('Two');
    await person.window.press('Alt+End');
    await eventually(stored).toEqual(['One', 'Three', 'Two']);
    await eventually(() => person.focused()).toBe('Two');
    await person.window.press('F2');
    await eventually(() => person.focused()).toBe('Page title');
    await person.window.type('Second');
    await person.window.press('Enter');
    await eventually(stored).toEqual(['One', 'Three', 'Second']);
  });

  it.skipIf(missing)('are deleted by key, and come back by Undo, by button and by Ctrl+Z', async () => {
    await person.typeAfter('On One.', ' Not saved yet.');
    await person.focus('One');
    await person.window.press('Delete');
    await eventually(titles).toEqual(['Two', 'Three']);
    await eventually(() => person.focused()).toBe('Undo deleting One');
    await person.window.press('Enter');
    await eventually(titles).toEqual(['One', 'Two', 'Three']);
    await eventually(() => person.value('#markdown-field')).toBe('# One\n\nOn One. Not saved yet.');
    await eventually(() => person.focused()).toMatch(/^One/);
    await person.window.press('Delete');
    await eventually(titles).toEqual(['Two', 'Three']);
    await eventually(() => person.focused()).toBe('Undo deleting One');
    await person.window.press('Control+z');
    await eventually(titles).toEqual(['One', 'Two', 'Three']);
    await expect.poll(() => stored()).toEqual(['One', 'Two', 'Three']);
    await eventually(() => person.focused()).toMatch(/^One/);
    await person.window.press('Delete');
    await person.click('Undo deleting One');
    await eventually(titles).toEqual(['One', 'Two', 'Three']);
  });

  it.skipIf(missing)('that were deleted are gone when the window is left meanwhile', async () => {
    await person.click('Delete One');
    await eventually(titles).toEqual(['Two', 'Three']);
    await person.open('/');
    await eventually(stored).toEqual(['Two', 'Three']);
  });
});
