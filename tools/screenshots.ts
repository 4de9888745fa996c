import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { s3GatewayMissing, startS3Gateway } from '../apps/notebook/test/support/s3-gateway.ts';
import { startService } from '../apps/notebook/test/support/service-process.ts';
import { buildIfStale } from './build.ts';
import { launchChromium } from './chromium.ts';
import type { Scene } from './screenshots/scene.ts';
import { scenes } from './screenshots/scenes.ts';
import { seedScenes, type World } from './screenshots/seed.ts';

// `node tools/screenshots.ts [FOLDER [SCENE…] [390-light…]]`: takes screenshots of every page, in light and dark, at phone,
// tablet and desktop size, of the real service with seeded notebooks.
const folder = process.argv[2] ?? join(tmpdir(), 'octavo-screenshots');
const only = process.argv.slice(3);
const program = fileURLToPath(new URL('../apps/notebook/dist/server/cli.js', import.meta.url));
/** The printable area of an A4 sheet, in CSS pixels. */
const paper = { width: 658, height: 971 };
const screens = [
  { width: 390, height: 844 },
  { width: 820, height: 1180 },
  { width: 1440, height: 900 },
] as const;

/** Debian's browser has fonts for every script; the one from npm shows boxes for Chinese and emoji. */
function launch(): Promise<Browser> {
  const debian = '/usr/bin/chromium';
  return existsSync(debian) ? chromium.launch({ executablePath: debian, args: ['--no-sandbox'] }) : launchChromium();
}

async function take(page: Page, scene: Scene, name: string): Promise<void> {
  page.on('pageerror', error => process.stdout.write(`  ${name}: ${error.message}\n`));
  if (scene.paper) await page.setViewportSize(paper);
  await scene.open(page);
  if (scene.paper) await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => document.fonts.ready);
  // Rows outside the window are not rendered.
  if (!scene.window) await page.evaluate(() => window.scrollTo(0, 0));
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (wider > 0) process.stdout.write(`  ${name}: ${wider} px wider than the window\n`);
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: !scene.window });
}

async function takeAll(context: BrowserContext, ending: string, chosen: readonly Scene[]): Promise<number> {
  let taken = 0;
  for (const scene of chosen) {
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    try {
      await take(page, scene, `${scene.name}-${ending}`);
      taken += 1;
    } catch (error) {
      process.exitCode = 1;
      process.stdout.write(`  ${scene.name}-${ending} was not taken: ${error instanceof Error ? error.message : error}\n`);
    }
    await page.close();
  }
  return taken;
}

/** Selects scenes by name, and by `390-dark` and the like; all of them if no word is given. */
async function run(world: World): Promise<number> {
  const all = scenes(world);
  const named = all.filter(({ name }) => only.includes(name));
  const chosen = named.length > 0 ? named : all;
  const endings = only.filter(word => /^\d+-(?:light|dark)$/.test(word));
  const browser = await launch();
  let taken = 0;
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of screens) {
      const ending = `${viewport.width}-${colorScheme}`;
      if (endings.length > 0 && !endings.includes(ending)) continue;
      const context = await browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' });
      await context.grantPermissions(['clipboard-read', 'clipboard-write']);
      taken += await takeAll(context, ending, chosen);
      await context.close();
    }
  }
  await browser.close();
  return taken;
}

/** Images are stored in Ceph's gateway; without it, pages with images are left out. */
async function startWorld(env: Record<string, string>): Promise<{ world: World; end: () => Promise<unknown> }> {
  const gateway = s3GatewayMissing ? undefined : await startS3Gateway();
  if (s3GatewayMissing) process.stdout.write(`SKIPPED the screenshots with images: ${s3GatewayMissing}\n`);
  const bucket = await gateway?.createBucket();
  const service = await startService({ OFFLINE: 'on', ...env, ...bucket?.env });
  const { origin } = service;
  const links = await seedScenes(origin, gateway !== undefined);
  await octavo(env, 'take-down', links.takenDown.slug);
  return {
    world: { origin, links, hasImages: gateway !== undefined },
    end: () => Promise.all([service.kill(), gateway?.stop()]),
  };
}

const octavo = (env: Record<string, string>, ...words: string[]) =>
  promisify(execFile)(process.execPath, [program, ...words], { env: { ...process.env, ...env } });

await mkdir(folder, { recursive: true });
await buildIfStale();
const data = await mkdtemp(join(tmpdir(), 'octavo-screenshots-data-'));
const { world, end } = await startWorld({
  DATABASE_URL: `sqlite:${join(data, 'pictures.db')}`,
  PUBLIC_URL: 'https://notes.example',
  RATE_LIMITS: 'on',
});
try {
  process.stdout.write(`${await run(world)} screenshots in ${folder}\n`);
} finally {
  await end();
  await rm(data, { recursive: true });
}
