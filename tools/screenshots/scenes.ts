import type { Page } from 'playwright-core';
import { editorScenes } from './editor-scenes.ts';
import type { Scene } from './scene.ts';
import type { World } from './seed.ts';
import { troubleScenes } from './trouble-scenes.ts';
import { writingScenes } from './writing-scenes.ts';

/** In this order: the home page is empty before the editor was opened, and lists notebooks after that. */
export function scenes(world: World): Scene[] {
  return [
    ...startScenes(world),
    ...readingScenes(world),
    ...gateScenes(world),
    ...editorScenes(world),
    ...writingScenes(world),
    ...homeScenes(world),
  ];
}

const visitor = (origin: string) => {
  const scene = (name: string, path: string): Scene => ({ name, open: page => page.goto(origin + path) });
  return { scene };
};

function startScenes({ origin }: World): Scene[] {
  const { scene } = visitor(origin);
  return [
    scene('home-empty', '/'),
    scene('home-deleted', '/?deleted=1'),
    { name: 'home-blocked', open: page => withoutStorage(page).then(() => page.goto(`${origin}/`)) },
    { name: 'home-answers', open: page => unfolded(page, `${origin}/`) },
    scene('new', '/new'),
    { name: 'new-taken', open: page => typeSlug(page, origin, 'paper-mill', 'already taken') },
    { name: 'new-free', open: page => typeSlug(page, origin, 'bone-folder', 'is free') },
    scene('quick', '/quick'),
    { name: 'quick-created', open: page => quickPaste(page, origin) },
    scene('search', '/search'),
    scene('search-found', '/search?q=paper'),
    scene('search-none', '/search?q=parchment'),
    scene('landing', '/share-markdown-without-account'),
    scene('landing-burn', '/burn-after-reading'),
  ];
}

function readingScenes({ origin, links, hasImages }: World): Scene[] {
  const { scene } = visitor(origin);
  const { tour, talked } = links;
  return [
    scene('view-lined', `/n/${tour.slug}`),
    { name: 'view-unfolded', open: page => unfolded(page, `${origin}/n/${tour.slug}`) },
    scene('view-second', `/n/${tour.slug}/p/${tour.pageIds[1]}`),
    scene('view-long', `/n/${links.long.slug}`),
    scene('view-grid', `/n/${links.grid.slug}`),
    scene('view-dotted', `/n/${links.dotted.slug}`),
    scene(hasImages ? 'view-kraft' : 'view-kraft-no-images', `/n/${links.kraft.slug}`),
    scene('view-math', `/n/${links.math.slug}`),
    { name: 'view-diagrams', open: page => drawn(page, `${origin}/n/${links.diagrams.slug}`) },
    scene('view-turned', `/n/${links.turned.slug}`),
    scene('view-comments', `/n/${talked.slug}`),
    scene('view-open-editing', `/n/${links.open.slug}`),
    { name: 'view-on-paper', paper: true, open: page => page.goto(`${origin}/n/${tour.slug}`) },
    scene('find', `/n/${tour.slug}/find`),
    scene('find-some', `/n/${tour.slug}/find?q=page`),
    scene('find-none', `/n/${tour.slug}/find?q=parchment`),
    scene('print', `/n/${tour.slug}/print`),
    scene('print-math', `/n/${links.math.slug}/print`),
    { name: 'print-diagrams', open: page => drawn(page, `${origin}/n/${links.diagrams.slug}/print`) },
    { name: 'print-on-paper', paper: true, open: page => page.goto(`${origin}/n/${tour.slug}/print`) },
  ];
}

function gateScenes({ origin, links }: World): Scene[] {
  const { scene } = visitor(origin);
  return [
    scene('locked', `/n/${links.locked.slug}`),
    { name: 'locked-wrong', open: page => tryPassword(page, `${origin}/n/${links.locked.slug}`) },
    scene('opens-once', `/n/${links.once.slug}`),
    scene('report', `/n/${links.tour.slug}/report`),
    scene('missing', '/n/nothing-here'),
    scene('missing-page', '/nothing/here'),
    scene('missing-part', `/n/${links.tour.slug}/p/not-there`),
    scene('taken-down', `/n/${links.takenDown.slug}`),
    ...troubleScenes({ origin, links }),
  ];
}

function homeScenes({ origin }: World): Scene[] {
  const open = (page: Page) => page.goto(`${origin}/`).then(() => page.waitForLoadState('networkidle'));
  return [
    { name: 'home', open },
    {
      name: 'home-tools',
      open: async page => {
        await open(page);
        await page.getByText('Add a notebook, back up or move the list').click();
        await page.waitForLoadState('networkidle');
      },
    },
    {
      name: 'home-removed',
      open: async page => {
        await open(page);
        await page
          .getByRole('button', { name: /^Remove from this list/ })
          .first()
          .click();
      },
    },
  ];
}

/** Like a browser that stores nothing for a site: accessing the storage throws. */
function withoutStorage(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get: () => {
        throw new DOMException('denied', 'SecurityError');
      },
    });
  });
}

async function unfolded(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll('details')) fold.open = true;
  });
}

async function drawn(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('html[data-diagrams="drawn"]').waitFor();
}

async function typeSlug(page: Page, origin: string, slug: string, said: string): Promise<void> {
  await page.goto(`${origin}/new`);
  await page.getByLabel('Address').fill(slug);
  await page.getByText(said).waitFor();
}

async function quickPaste(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/quick`);
  await page.getByLabel('Your text').fill('# A quick note\n\nPasted and done.');
  await page.keyboard.press('Control+Enter');
  await page.getByLabel('Edit link').waitFor();
}

async function tryPassword(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByLabel('Password').fill('close sesame');
  await page.getByRole('button', { name: 'Unlock' }).click();
  await page.getByRole('alert').waitFor();
}
