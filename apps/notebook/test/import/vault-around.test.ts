import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../support/free-port.ts';
import { makeImageFolder } from '../support/image-folder.ts';
import { octavo as runOctavo } from '../support/octavo-command.ts';
import { EditorDesk } from '../views/editor-desk.ts';
import { zip } from './made-zips.ts';
import { aVault } from './vault.ts';

const colors = ['#1b5675', '#75561b', '#567518', '#751b56', '#185675', '#561b75'];

/** A vault of 60 files goes into a service and comes out of it, by every way there is. */
describe('a vault of 60 files', () => {
  const folder = makeImageFolder();
  const root = mkdtempSync(join(tmpdir(), 'octavo-vault-'));
  let desk: EditorDesk;
  let vault: Record<string, string | Uint8Array>;

  beforeAll(async () => {
    const pictures = colors.map((background, at) =>
      sharp({ create: { width: 40 + at, height: 30, channels: 3, background } })
        .png()
        .toBuffer(),
    );
    vault = aVault(await Promise.all(pictures));
    const port = await findFreePort();
    // Images have absolute addresses, so the service has to know its own.
    desk = await EditorDesk.start(undefined, { ...folder.env, PORT: `${port}`, PUBLIC_URL: `http://127.0.0.1:${port}` });
  }, 120_000);
  afterAll(async () => {
    await desk?.close();
    folder.remove();
    rmSync(root, { recursive: true });
  });

  const textsOf = (files: Record<string, string | Uint8Array>) =>
    Object.fromEntries(
      Object.entries(files)
        .filter(([path]) => path.endsWith('.md'))
        .map(([path, content]) => [path, Buffer.from(content).toString()]),
    );
  const imagesOf = (files: Record<string, string | Uint8Array>) => Object.keys(files).filter(path => path.endsWith('.png'));
  const sizesOf = async (files: Record<string, string | Uint8Array>) =>
    Promise.all(
      imagesOf(files)
        .sort()
        .map(async path => {
          const { width, height } = await sharp(Buffer.from(files[path]!)).metadata();
          return [path, width, height];
        }),
    );

  it('goes in and out of the browser: every note byte for byte, every picture in its place', { timeout: 120_000 }, async () => {
    expect(Object.keys(vault)).toHaveLength(60);
    const made = await desk.create({ title: 'Vault', pages: [{ markdown: '' }] });
    const page = await desk.newPage({ acceptDownloads: true });
    await desk.open(page, made);
    await page.getByRole('button', { name: 'Import…', exact: true }).click();
    const upload = { name: 'vault.zip', mimeType: 'application/zip', buffer: Buffer.from(zip(vault)) };
    await page.getByLabel('Markdown files, or a zip of them').setInputFiles([upload]);
    await page.getByRole('button', { name: 'Import 54 pages' }).click();
    await page.getByText('54 pages were imported.').waitFor({ timeout: 90_000 });
    await page.keyboard.press('Escape');
    // The page that nobody wrote is taken out with the import; the export knows nothing of it.
    await expect.poll(() => page.locator('.page-pick').count()).toBe(54);
    await page.getByRole('button', { name: 'Export…' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'All pages as .zip' }).click();
    const out = unzipSync(readFileSync(await (await download).path()));
    expect(Object.keys(out).sort()).toEqual(Object.keys(vault).sort());
    expect(textsOf(out)).toEqual(textsOf(vault));
    expect(await sizesOf(out)).toEqual(await sizesOf(vault));
    await desk.context.close();
  });

  it('goes in by push and out by pull: every file byte for byte, and a second push changes nothing', {
    timeout: 120_000,
  }, async () => {
    const here = join(root, 'here');
    for (const [path, content] of Object.entries(vault)) {
      mkdirSync(join(here, dirname(path)), { recursive: true });
      writeFileSync(join(here, path), content);
    }
    const octavo = (home: string, ...args: string[]) =>
      runOctavo(args, { HOME: join(root, home), OCTAVO_SERVER: desk.service.origin }, root);
    const pushed = await octavo('home', 'push', 'here');
    expect(pushed).toMatchObject({ code: 0, err: '' });
    const slug = /\/n\/([a-z0-9-]+)/.exec(pushed.out)![1]!;
    expect(await octavo('home', 'pull', slug, 'there')).toMatchObject({ code: 0, err: '' });
    const back = readdirSync(join(root, 'there'), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name));
    const read = Object.fromEntries(back.map(path => [path.slice(join(root, 'there/').length), readFileSync(path)]));
    expect(Object.keys(read).sort()).toEqual(Object.keys(vault).sort());
    expect(textsOf(read)).toEqual(textsOf(vault));
    for (const path of imagesOf(vault)) expect([path, read[path]!.equals(Buffer.from(vault[path]!))]).toEqual([path, true]);
    for (const folder of ['here', 'there']) {
      const again = await octavo('home', 'push', folder, '--notebook', slug);
      expect(again).toMatchObject({ code: 0, err: '' });
      expect(again.out).not.toMatch(/: (?:changed|added)/);
    }
  });
});
