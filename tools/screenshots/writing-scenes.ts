import type { Page } from 'playwright-core';
import { openEditor, press } from './editor-scenes.ts';
import type { Scene } from './scene.ts';
import { create, type Made, type World } from './seed.ts';

const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="500"><rect width="900" height="500" fill="#7a9"/><circle cx="300" cy="240" r="120" fill="#fd8"/></svg>';
const trace = `Traceback (most recent call last):
  File "app.py", line 3, in <module>
    main()
ValueError: *no* such __page__`;

/** The first minute, writing, and what the text turns into. */
export function writingScenes(world: World): Scene[] {
  return [...firstMinute(world), ...deskScenes(world), ...shownScenes(world)];
}

function firstMinute({ origin }: World): Scene[] {
  const pasted = (name: string, path: string, act?: (page: Page) => Promise<unknown>): Scene => ({
    name,
    open: async page => {
      await page.goto(origin + path);
      await page.getByLabel('Your text').fill(trace);
      await page.getByText('Looks like a log or code.').waitFor();
      await act?.(page);
    },
  });
  const publish = async (page: Page) => {
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.locator('[data-created]').waitFor();
  };
  return [
    pasted('home-pasted', '/'),
    pasted('home-created', '/', publish),
    pasted('quick-pasted', '/quick'),
    pasted('quick-created-once', '/quick', async page => {
      await page.getByLabel('Delete after it’s read once').check();
      await publish(page);
    }),
  ];
}

function deskScenes(world: World): Scene[] {
  const { origin, links } = world;
  const desk = (name: string, act: (page: Page) => Promise<unknown>): Scene => ({
    name,
    window: true,
    open: page => openEditor(page, world, links.written).then(() => act(page)),
  });
  const field = (page: Page) => page.locator('#markdown-field');
  return [
    {
      name: 'editor-new',
      window: true,
      open: async page => {
        await page.goto(`${origin}/e/${links.fresh.editToken}`);
        await page.locator('#markdown-field').waitFor();
      },
    },
    desk('editor-find', async page => {
      await page.getByRole('button', { name: /^Find and replace/ }).click();
      await page.getByLabel('Find in this page').fill('the');
      await page.getByText(/^1 of/).waitFor();
    }),
    desk('editor-selected', page => field(page).press('Control+a')),
    desk('editor-focus', page => press(page, 'Focus')),
    desk('editor-emoji', async page => {
      await field(page).press('Control+End');
      // Text that an earlier scene typed is still there.
      await page.keyboard.type('\n\n:rock');
      await page.getByRole('option').first().waitFor();
    }),
    {
      name: 'editor-offline-opened',
      window: true,
      open: async page => {
        await withWorker(page, origin);
        const made = await create(origin, { title: 'On the train', pages: [{ markdown: '# On the train\n\nNo network here.' }] });
        await openEditor(page, world, made);
        await field(page).press('Control+End');
        await page.keyboard.type(' Yet.');
        await page.locator('[data-save-state="saved"]').waitFor();
        await page.waitForFunction(async () => (await caches.match('/edit/offline')) !== undefined);
        await withoutNetwork(page);
        await page.goto(`${origin}/edit/${made.slug}`);
        await page.getByText('You’re offline.').first().waitFor();
        if (page.viewportSize()!.width > 1_000) await page.locator('.preview-pane').getByText('No network here').waitFor();
      },
    },
    desk('editor-keyboard-up', async page => {
      const { width } = page.viewportSize()!;
      await page.setViewportSize({ width, height: 400 });
      await field(page).click();
    }),
  ];
}

async function withWorker(page: Page, origin: string): Promise<void> {
  await page.goto(origin);
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
}

/** Goes offline until the page is closed: the pages of one screen size share their browser's network. */
async function withoutNetwork(page: Page): Promise<void> {
  const context = page.context();
  page.on('close', () => void context.setOffline(false));
  await context.setOffline(true);
}

function shownScenes({ origin, links }: World): Scene[] {
  const shown = (name: string, path: string, act?: (page: Page) => Promise<unknown>): Scene => ({
    name,
    open: async page => {
      await page.route('https://pictures.example/**', route => route.fulfill({ contentType: 'image/svg+xml', body: picture }));
      await page.goto(origin + path);
      await act?.(page);
    },
  });
  const zoom = async (page: Page) => {
    await page.locator('.prose figure a').first().click();
    await page.getByRole('dialog').waitFor();
  };
  const { figures, lined } = links;
  const burning = () =>
    create(origin, { title: 'The code', burnAfterRead: true, pages: [{ markdown: 'The code is **1234**.' }] });
  const openOnce = async (page: Page, { slug }: Made) => {
    await page.goto(`${origin}/n/${slug}`);
    await page.getByRole('button', { name: 'Open it now' }).click();
    await page.getByText(/ left\.$/).waitFor();
  };
  const reading = async (page: Page) => {
    await withWorker(page, origin);
    await page.goto(`${origin}/n/${links.public.slug}`);
    await page.waitForFunction(async path => (await caches.match(path)) !== undefined, `/n/${links.public.slug}`);
    await withoutNetwork(page);
    await page.reload();
    await page.getByText('You’re offline.').waitFor();
  };
  return [
    shown('view-figures', `/n/${figures.slug}`),
    shown('view-figures-lined', `/n/${lined.slug}`),
    { ...shown('view-zoomed', `/n/${figures.slug}`, zoom), window: true },
    { ...shown('embed', `/n/${figures.slug}/embed`), window: true },
    { ...shown('slides', `/n/${figures.slug}?slides`), window: true },
    shown('view-japanese', `/n/${links.japanese.slug}`),
    shown('embed-whole', `/n/${figures.slug}/embed`),
    { name: 'read-once', open: async page => openOnce(page, await burning()) },
    {
      name: 'editor-opened-once',
      window: true,
      open: async page => {
        const made = await burning();
        await fetch(`${origin}/api/notebooks/${made.slug}/open`, { method: 'POST', redirect: 'manual' });
        await page.goto(`${origin}/e/${made.editToken}`);
        await page.getByText(/^Opened at/).waitFor();
      },
    },
    shown('view-offline', `/n/${links.public.slug}`, reading),
    { name: 'expired', open: page => page.goto(`${origin}/n/${links.expired.slug}`) },
    { name: 'offline', open: page => page.goto(`${origin}/offline`) },
  ];
}
