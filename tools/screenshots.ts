import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { type ServiceProcess, startService } from '../apps/notebook/test/support/service-process.ts';
import { buildIfStale } from './build.ts';
import { launchChromium } from './chromium.ts';
import { type Scene, scenes, seedScenes } from './screenshots/scenes.ts';

// `node tools/screenshots.ts [FOLDER]`: every page in light and dark, on a phone and on a desk, of the real service with a seeded world.
const folder = process.argv[2] ?? join(tmpdir(), 'octavo-screenshots');
const only = process.argv.slice(3);
const screens = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
];

/** Debian's browser has fonts for every script; the one from npm draws boxes for Chinese and emoji. */
function launch(): Promise<Browser> {
  const debian = '/usr/bin/chromium';
  return existsSync(debian) ? chromium.launch({ executablePath: debian, args: ['--no-sandbox'] }) : launchChromium();
}

async function take(page: Page, scene: Scene, name: string): Promise<void> {
  page.on('pageerror', error => process.stdout.write(`  ${name}: ${error.message}\n`));
  await scene.open(page);
  await page.evaluate(() => document.fonts.ready);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (wider > 0) process.stdout.write(`  ${name}: ${wider} px wider than the window\n`);
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: !scene.window });
}

async function takeAll(context: BrowserContext, ending: string, chosen: readonly Scene[]): Promise<void> {
  for (const scene of chosen) {
    const page = await context.newPage();
    await take(page, scene, `${scene.name}-${ending}`);
    await page.close();
  }
}

async function run(service: ServiceProcess): Promise<void> {
  const links = await seedScenes(service.origin);
  const chosen = scenes(service.origin, links).filter(({ name }) => only.length === 0 || only.includes(name));
  const browser = await launch();
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of screens) {
      const context = await browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' });
      await takeAll(context, `${viewport.width}-${colorScheme}`, chosen);
      await context.close();
    }
  }
  await browser.close();
  process.stdout.write(`${chosen.length * screens.length * 2} pictures in ${folder}\n`);
}

await mkdir(folder, { recursive: true });
await buildIfStale();
const data = await mkdtemp(join(tmpdir(), 'octavo-screenshots-data-'));
const service = await startService({ DATABASE_URL: `sqlite:${join(data, 'pictures.db')}`, PUBLIC_URL: 'https://notes.example' });
try {
  await run(service);
} finally {
  await service.kill();
  await rm(data, { recursive: true });
}
