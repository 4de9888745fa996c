import type { Page } from 'playwright-core';
import { drawings, formulas, longPages, tour, turned } from './texts.ts';

export interface Scene {
  readonly name: string;
  /** Only what fits into the window; otherwise the whole length of the page. */
  readonly window?: boolean;
  readonly open: (page: Page) => Promise<unknown>;
}

interface Made {
  readonly slug: string;
  readonly editToken: string;
}

export type Links = Readonly<
  Record<'tour' | 'long' | 'grid' | 'dotted' | 'kraft' | 'math' | 'diagrams' | 'turned' | 'locked' | 'once', Made>
>;

async function create(origin: string, body: object): Promise<Made> {
  const answer = await fetch(`${origin}/api/notebooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(`the seed was refused: ${await answer.text()}`);
  const { notebook, editToken } = (await answer.json()) as { notebook: { slug: string }; editToken: string };
  return { slug: notebook.slug, editToken };
}

export async function seedScenes(origin: string): Promise<Links> {
  const one = (body: object) => create(origin, { pages: [{ markdown: tour }], ...body });
  return {
    tour: await one({ title: 'Notes from the paper mill', slug: 'paper-mill', paper: 'lined', pages: longPages.slice(0, 4) }),
    long: await one({ title: '六十页的笔记本 📓 and a title that is longer than it has any need to be', pages: longPages }),
    grid: await one({ paper: 'grid' }),
    dotted: await one({ paper: 'dotted', title: 'Untitled' }),
    kraft: await one({ paper: 'kraft' }),
    math: await one({ title: 'Formulas', pages: [{ markdown: formulas }] }),
    diagrams: await one({ title: 'Diagrams', paper: 'grid', pages: [{ markdown: drawings }] }),
    turned: await one({ title: 'من اليمين', pages: [{ markdown: turned }] }),
    locked: await one({ password: 'open sesame' }),
    once: await one({ burnAfterRead: true }),
  };
}

export function scenes(origin: string, links: Links): Scene[] {
  const visit = (path: string) => (page: Page) => page.goto(origin + path);
  const scene = (name: string, path: string): Scene => ({ name, open: visit(path) });
  return [
    scene('home-empty', '/'),
    scene('home-deleted', '/?deleted=1'),
    scene('new', '/new'),
    { name: 'new-taken', open: page => typeSlug(page, origin) },
    scene('quick', '/quick'),
    { name: 'quick-created', open: page => quickPaste(page, origin) },
    scene('view-lined', `/n/${links.tour.slug}`),
    scene('view-long', `/n/${links.long.slug}`),
    scene('view-grid', `/n/${links.grid.slug}`),
    scene('view-dotted', `/n/${links.dotted.slug}`),
    scene('view-kraft', `/n/${links.kraft.slug}`),
    scene('view-math', `/n/${links.math.slug}`),
    scene('print-math', `/n/${links.math.slug}/print`),
    { name: 'view-diagrams', open: page => drawn(page, `${origin}/n/${links.diagrams.slug}`) },
    { name: 'print-diagrams', open: page => drawn(page, `${origin}/n/${links.diagrams.slug}/print`) },
    scene('view-turned', `/n/${links.turned.slug}`),
    scene('print', `/n/${links.tour.slug}/print`),
    scene('locked', `/n/${links.locked.slug}`),
    scene('opens-once', `/n/${links.once.slug}`),
    scene('missing', '/n/nothing-here'),
    ...editorScenes(origin, links),
    scene('home', '/'),
    {
      name: 'home-tools',
      open: async page => {
        await page.goto(`${origin}/`);
        await page.getByText('Add a notebook, back up or move the list').click();
        await page.waitForLoadState('networkidle');
      },
    },
  ];
}

function editorScenes(origin: string, links: Links): Scene[] {
  const editor = async (page: Page, made: Made = links.long) => {
    await page.goto(`${origin}/e/${made.editToken}`);
    await page.locator('.looking .prose > *').first().waitFor({ state: 'attached' });
  };
  const dialog = (name: string, button: string): Scene => ({
    name,
    window: true,
    open: async page => {
      await editor(page, links.tour);
      // On a phone the pages, and what is done with them, are folded away.
      const pages = page.getByRole('button', { name: 'Pages', exact: true });
      if (!(await page.getByRole('button', { name: button, exact: true }).isVisible())) await pages.click();
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.waitForLoadState('networkidle');
    },
  });
  return [
    { name: 'editor', window: true, open: page => editor(page, links.tour) },
    { name: 'editor-long', window: true, open: page => editor(page) },
    {
      name: 'editor-conflict',
      window: true,
      open: page => editor(page, links.grid).then(() => conflict(page, origin, links.grid)),
    },
    dialog('editor-share', 'Share'),
    dialog('editor-settings', 'Settings'),
    dialog('editor-versions', 'Versions'),
    dialog('editor-add-page', 'Add page'),
    dialog('editor-import', 'Import…'),
    dialog('editor-export', 'Export…'),
    { name: 'editor-asks', window: true, open: page => page.goto(`${origin}/edit/not-of-this-browser`) },
  ];
}

async function drawn(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('html[data-diagrams="drawn"]').waitFor();
}

async function typeSlug(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/new`);
  await page.getByLabel('Address').fill('paper-mill');
  await page.getByText('already taken').waitFor();
}

async function quickPaste(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/quick`);
  await page.getByLabel('Markdown').fill('# A quick note\n\nPasted and done.');
  await page.keyboard.press('Control+Enter');
  await page.getByLabel('Edit link').waitFor();
}

/** Somebody else saves the page that this one is writing on. */
async function conflict(page: Page, origin: string, { slug, editToken }: Made): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-edit-token': editToken };
  const notebook = (await (await fetch(`${origin}/api/notebook`, { headers })).json()) as { pages: { id: string }[] };
  await fetch(`${origin}/api/notebooks/${slug}/pages/${notebook.pages[0]!.id}`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify({ markdown: `# Theirs\n\nWritten ${new Date().toISOString()}` }),
  });
  await page.getByRole('textbox', { name: /^Markdown of/ }).fill('# Mine\n\nWritten at the same time');
  await page.getByRole('button', { name: 'Keep mine' }).waitFor();
}
