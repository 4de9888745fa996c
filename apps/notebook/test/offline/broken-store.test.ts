import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createProfile, startChromiumProcess } from '../support/killable-chromium.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { CutLine } from './cut-line.ts';

let line: CutLine;
let app: NotebookApp;
let profile: Awaited<ReturnType<typeof createProfile>>;
beforeAll(async () => {
  line = await CutLine.open();
  app = await startNotebookApp({ env: { PUBLIC_URL: line.origin }, overrides: { now: Date.now } });
  line.lead(Number(new URL(await app.listen()).port));
  profile = await createProfile();
});
afterAll(async () => {
  await line?.close();
  await app?.close();
  await profile?.remove();
});

/** A file lies where the browser has the folder of a site's caches, so that it can open none. */
async function breakCaches(): Promise<number> {
  const all = join(profile.folder, 'Default', 'Service Worker', 'CacheStorage');
  const sites = await readdir(all);
  for (const site of sites) {
    await rm(join(all, site), { recursive: true });
    await writeFile(join(all, site), 'broken');
  }
  return sites.length;
}

it('a browser whose store of caches is broken still shows pages with their styles and scripts', async () => {
  const { slug } = await app.create({ title: 'Read', pages: [{ markdown: 'Words to read.' }] });
  let chromium = await startChromiumProcess(profile.folder);
  try {
    const first = await chromium.browser.contexts()[0]!.newPage();
    await first.goto(line.origin);
    await first.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await chromium.browser.close();
    await chromium.kill();
    expect(await breakCaches()).toBe(1);
    chromium = await startChromiumProcess(profile.folder);
    const page = await chromium.browser.contexts()[0]!.newPage();
    const failed: string[] = [];
    page.on('requestfailed', request => failed.push(request.url()));
    await page.goto(`${line.origin}/n/${slug}`);
    await page.getByText('Words to read.').waitFor();
    expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
    expect(await page.evaluate(() => caches.open('x').then(() => 'opened', String))).not.toBe('opened');
    expect(await page.evaluate(() => getComputedStyle(document.querySelector('.sheet')!).display)).toBe('flow-root');
    expect(failed).toEqual([]);
    // As a release after this one would be: a worker that waits for the store would leave the one before it for ever.
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())!.unregister());
    await page.reload();
    const state = () => page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state);
    await expect.poll(state).toBe('activated');
  } finally {
    await chromium.kill();
  }
});
