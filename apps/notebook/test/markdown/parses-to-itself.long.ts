import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import { allowedNames, chain, kinds, randomChoices, treeOf } from './generated-trees.ts';
import { isReadAlike, keptHtml } from './read-again.ts';
import { changedInBrowser } from './read-in-browser.ts';

const minutes = Number(process.env.FUZZ_MINUTES ?? 10);
/** How many trees the browser gets at once, and which share of all. */
const together = 2_000;
const browserShare = 8;

let browser: Browser;
let page: Page;
let waiting: string[] = [];
const counts = { trees: 0, kept: 0, inBrowser: 0 };

beforeAll(async () => {
  browser = await launchChromium();
  page = await browser.newPage();
});
afterAll(async () => {
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  await browser?.close();
});

async function check(html: string | undefined): Promise<void> {
  counts.trees += 1;
  if (html === undefined) return;
  counts.kept += 1;
  if (!isReadAlike(html)) expect.fail(`changed by parsing: ${html}`);
  if (counts.kept % browserShare === 0) waiting.push(html);
  if (waiting.length === together) await askBrowser();
}

async function askBrowser(): Promise<void> {
  expect(await changedInBrowser(page, waiting)).toEqual([]);
  counts.inBrowser += waiting.length;
  waiting = [];
}

test('every element in every other, and in every other of those', async () => {
  for (const first of allowedNames)
    for (const second of allowedNames)
      for (const third of allowedNames)
        for (const withText of [true, false]) await check(keptHtml(chain([first, second, third], withText)));
  await askBrowser();
});

test('those of each kind, four deep', async () => {
  for (const first of kinds)
    for (const second of kinds)
      for (const third of kinds) for (const fourth of kinds) await check(keptHtml(chain([first, second, third, fourth], true)));
  await askBrowser();
});

test('grown trees, for minutes', async () => {
  const end = Date.now() + minutes * 60_000;
  for (let seed = Date.now() | 0; Date.now() < end; seed += 1) await check(keptHtml(treeOf(randomChoices(seed))));
  await askBrowser();
}, 7_200_000);
