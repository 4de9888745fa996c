import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderPrint } from '../../src/views/print.tsx';
import { launchChromium } from '../support/browser.ts';
import { type ClientSite, startClientSite } from '../views/client-site.ts';
import { printProps } from '../views/samples.ts';
import { pdfReaderMissing, readHeads } from './pdf.ts';

// Two long titles share the line at the top of a sheet.
let site: ClientSite;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  const { notebook, pages } = printProps();
  const [one, two] = pages;
  site = await startClientSite(client => ({
    '/print': renderPrint(client, {
      ...printProps(),
      notebook: { ...notebook, title: 'M'.repeat(200) },
      pages: [
        { ...one!, title: 'W'.repeat(200) },
        { ...two!, title: 'Short' },
      ],
    }),
  }));
  browser = await launchChromium();
  page = await browser.newPage({ locale: 'en-GB' });
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

describe.skipIf(pdfReaderMissing)('running heads', () => {
  it('of long titles in wide letters do not meet, and end with an ellipsis', async () => {
    await page.goto(`${site.origin}/print`);
    await page.locator('html[data-book]').waitFor({ state: 'attached' });
    await expect.poll(() => page.evaluate(() => document.fonts.check('italic 12px "Source Serif 4 Variable"'))).toBe(true);
    const heads = await readHeads(await page.pdf({ preferCSSPageSize: true }));
    const long = heads.find(sheet => sheet.some(({ word }) => word.startsWith('W')))!;
    expect(long.map(({ word }) => word)).toEqual([expect.stringMatching(/^M+…$/), expect.stringMatching(/^W+…$/)]);
    expect(long[0]!.right).toBeLessThan(long[1]!.left);
    const short = heads.find(sheet => sheet.some(({ word }) => word === 'Short'))!;
    expect(short.map(({ word }) => word)).toEqual([long[0]!.word, 'Short']);
  });
});
