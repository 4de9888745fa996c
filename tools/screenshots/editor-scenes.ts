import type { Page } from 'playwright-core';
import type { Scene } from './scene.ts';
import { ask, create, type Made, type World } from './seed.ts';
import { sharingScenes } from './sharing-scenes.ts';
import { tour } from './texts.ts';

export function editorScenes(world: World): Scene[] {
  return [...deskScenes(world), ...dialogScenes(world), ...sharingScenes(world), ...careScenes(world)];
}

export async function openEditor(page: Page, { origin }: Pick<World, 'origin'>, { editToken }: Made): Promise<void> {
  await page.goto(`${origin}/e/${editToken}`);
  await page.locator('.preview-pane .prose > *').first().waitFor({ state: 'attached' });
}

/** Presses a button. On a phone some are inside a menu, which is opened first. */
export async function press(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  for (const fold of ['Pages', 'More']) {
    if (await button.isVisible()) break;
    await page.getByRole('button', { name: fold, exact: true }).click();
  }
  await button.click();
  await page.waitForLoadState('networkidle');
}

function deskScenes(world: World): Scene[] {
  const { origin, links } = world;
  const desk = (name: string, act?: (page: Page) => Promise<unknown>, made = links.tour): Scene => ({
    name,
    window: true,
    open: page => openEditor(page, world, made).then(() => act?.(page)),
  });
  const look = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click();
  return [
    desk('editor'),
    desk('editor-long', undefined, links.long),
    desk('editor-write', look('Write')),
    desk('editor-read', look('Read')),
    desk('editor-math', look('Read'), links.math),
    desk('editor-turned', undefined, links.turned),
    desk('editor-pages', page => press(page, 'Pages').catch(() => undefined), links.long),
    desk('editor-rename', page => press(page, 'Rename A tour of the page')),
    desk('editor-more', page => press(page, 'More').catch(() => undefined)),
    ...['Heading', 'Code block', 'Table', 'Alert'].map(tool =>
      // super-linear: the names above.
      desk(`editor-tool-${tool.toLowerCase().replace(' ', '-')}`, page =>
        page.getByRole('button', { name: new RegExp(`^${tool}`) }).click(),
      ),
    ),
    desk('editor-keys', page => page.getByRole('button', { name: /^Keyboard shortcuts/ }).click()),
    { name: 'editor-visitor', window: true, open: page => visit(page, `${origin}/n/${links.open.slug}/edit`) },
    { name: 'editor-asks', window: true, open: page => page.goto(`${origin}/edit/not-of-this-browser`) },
    { name: 'editor-dead-link', window: true, open: page => page.goto(`${origin}/e/${'A'.repeat(43)}`) },
  ];
}

async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('.preview-pane .prose > *').first().waitFor({ state: 'attached' });
}

function dialogScenes(world: World): Scene[] {
  const { links, hasImages } = world;
  const dialog = (name: string, button: string, made = links.tour, act?: (page: Page) => Promise<unknown>): Scene => ({
    name,
    window: true,
    open: async page => {
      await openEditor(page, world, made);
      await press(page, button);
      await page.getByRole('dialog').waitFor();
      await act?.(page);
    },
  });
  return [
    dialog('editor-settings', 'Settings'),
    dialog('editor-delete', 'Settings', links.tour, page => press(page, 'Delete this notebook…')),
    dialog('editor-versions', 'Versions'),
    dialog('editor-versions-compared', 'Versions', links.tour, async page => {
      await page.locator('.snapshot-list button').last().click();
      await page.getByRole('button', { name: 'Restore this version' }).waitFor();
    }),
    dialog('editor-versions-none', 'Versions', links.grid),
    dialog('editor-add-page', 'Add page'),
    dialog('editor-import', 'Import…'),
    dialog('editor-import-ready', 'Import…', links.tour, chooseFiles),
    dialog('editor-import-running', 'Import…', links.tour, async page => {
      // The request is held back so that the progress is visible.
      await page.route('**/pages', () => undefined);
      await chooseFiles(page);
      await page.getByRole('button', { name: /^Import 2/ }).click();
    }),
    dialog('editor-export', 'Export…'),
    dialog('editor-comments', 'Comments', links.talked),
    dialog('editor-comments-none', 'Comments', links.grid),
    dialog(hasImages ? 'editor-images' : 'editor-images-off', 'Images', links.kraft),
    ...(hasImages ? [dialog('editor-images-none', 'Images', links.grid)] : []),
  ];
}

async function chooseFiles(page: Page): Promise<void> {
  const file = (name: string, text: string) => ({ name, mimeType: 'text/markdown', buffer: Buffer.from(text) });
  await page
    .locator('#import-files')
    .setInputFiles([
      file('a-folder-of-notes.md', '# Notes\n\n![A picture](not-here.png)'),
      file('second.md', 'No heading'),
      file('sheet.xlsx', 'PK'),
    ]);
  await page.getByRole('button', { name: /^Import 2/ }).waitFor();
}

/** Everything that may happen to a text while it is being written. */
function careScenes(world: World): Scene[] {
  const { origin } = world;
  const fresh = (name: string, act: (page: Page, made: Made) => Promise<unknown>): Scene => ({
    name,
    window: true,
    open: async page => {
      const made = await create(origin, { title: 'On the road', pages: [{ markdown: tour }, { markdown: '# Second' }] });
      await openEditor(page, world, made);
      await act(page, made);
    },
  });
  const field = (page: Page) => page.getByRole('textbox', { name: /^Markdown of/ });
  const cutOff = (page: Page) => page.route('**/api/**', route => route.abort());
  return [
    fresh('editor-conflict', (page, made) => conflict(page, origin, made)),
    fresh('editor-conflict-put-off', async (page, made) => {
      await conflict(page, origin, made);
      await page.keyboard.press('Escape');
    }),
    fresh('editor-offline', async page => {
      await cutOff(page);
      await field(page).press('x');
      await page.locator('[data-state="waiting"]').waitFor();
    }),
    fresh('editor-page-deleted', page => press(page, 'Delete A tour of the page')),
    fresh('editor-lost', async (page, { slug, editToken }) => {
      await ask(origin, 'DELETE', `/api/notebooks/${slug}`, editToken);
      await field(page).press('x');
      await page.getByRole('button', { name: 'Copy or download the text' }).waitFor();
    }),
    fresh('editor-kept-texts', async (page, { slug, editToken }) => {
      await ask(origin, 'DELETE', `/api/notebooks/${slug}`, editToken);
      await field(page).press('x');
      await page.getByRole('button', { name: 'Copy or download the text' }).click();
    }),
    fresh('editor-edit-link-pasted', async (page, { editToken }) => {
      await field(page).evaluate((into, text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', text);
        into.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      }, `${origin}/e/${editToken}`);
    }),
  ];
}

/** Another person saves the page that this one is editing. */
async function conflict(page: Page, origin: string, { slug, editToken, pageIds }: Made): Promise<void> {
  const path = `/api/notebooks/${slug}/pages/${pageIds[0]}`;
  await ask(origin, 'PATCH', path, editToken, {
    markdown: tour.replace('A short tour', 'A long tour').replace('**1282**', 'long ago'),
  });
  await page.getByRole('textbox', { name: /^Markdown of/ }).fill(tour.replace('**1282**', 'the *thirteenth* century'));
  await page.getByRole('button', { name: 'Keep mine' }).waitFor();
}
