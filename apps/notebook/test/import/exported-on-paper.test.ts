import { copyFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EditorDesk } from '../views/editor-desk.ts';

let desk: EditorDesk;
let copy: Page;

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const columns = Array.from({ length: 24 }, (_, at) => String((at + 1) * 137));
const markdown = [
  '# Wide',
  `\`\`\`sh\n${'octavo pull --with-images '.repeat(9)}\n\`\`\``,
  [columns, columns.map(() => '---'), columns].map(row).join('\n'),
  `$$\n${'a_1 + '.repeat(60)}b\n$$`,
  `In a line $${'z + '.repeat(60)}q$.`,
].join('\n\n');

beforeAll(async () => {
  desk = await EditorDesk.start();
  const page = await desk.newPage({ acceptDownloads: true });
  await desk.open(page, await desk.create({ title: 'Wide', pages: [{ markdown }] }));
  await page.getByRole('button', { name: 'Export…', exact: true }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'All pages as one .html', exact: true }).click();
  const path = await (await download).path();
  await copyFile(path, `${path}.html`);
  copy = await desk.newPage({ viewport: { width: 657, height: 900 }, offline: true });
  await copy.goto(`file://${path}.html`);
  await copy.emulateMedia({ media: 'print' });
}, 60_000);
afterAll(() => desk?.close());

it.each(['pre', 'table', 'math'])('an exported notebook is printed whole: %s', async selector => {
  const beyond = () =>
    copy.locator(`.prose ${selector}`).evaluateAll(all =>
      all.map(element => {
        const content = document.createRange();
        content.selectNodeContents(element);
        return Math.max(...[...content.getClientRects()].map(({ right }) => Math.ceil(right - innerWidth)), 0);
      }),
    );
  const count = await copy.locator(`.prose ${selector}`).count();
  expect(count).toBeGreaterThan(0);
  await expect.poll(beyond).toEqual(Array(count).fill(0));
});
