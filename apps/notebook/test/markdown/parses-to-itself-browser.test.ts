import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderLoaded } from '../../src/markdown/render-loaded.ts';
import { launchChromium } from '../support/browser.ts';
import { allowedNames, chain, randomChoices, treeOf } from './generated-trees.ts';
import { ordinaryPage } from './ordinary-page.ts';
import { keptHtml } from './read-again.ts';
import { changedInBrowser } from './read-in-browser.ts';
import { xssCorpus } from './xss-corpus.ts';

let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
  page = await browser.newPage();
});
afterAll(() => browser?.close());

const isKept = (html: string | undefined): html is string => html !== undefined;

test('a browser changes what the check does not let pass', async () => {
  const changed = [
    '<p><p>x</p></p>',
    '<a><a>x</a></a>',
    '<pre>\nx</pre>',
    '<table>x</table>',
    '<ul><li><li>x</li></li></ul>',
    'a\rb',
  ];
  expect(await changedInBrowser(page, [...changed, '<p>x</p>'])).toEqual(changed);
});

test('a browser reads each element in each other as the check says', async () => {
  const kept = allowedNames
    .flatMap(outer => allowedNames.map(inner => [outer, inner]))
    .flatMap(names => [keptHtml(chain(names, true)), keptHtml(chain(names, false))])
    .filter(isKept);
  expect(kept.length).toBeGreaterThan(2_000);
  expect(await changedInBrowser(page, kept)).toEqual([]);
});

test('and grown trees', async () => {
  const first = Date.now();
  const kept = Array.from({ length: 4_000 }, (_, at) => keptHtml(treeOf(randomChoices(first + at)))).filter(isKept);
  expect(kept.length).toBeGreaterThan(2_000);
  expect(await changedInBrowser(page, kept)).toEqual([]);
});

test('and what is rendered of the corpus of attacks and of an ordinary page, with its formulas', async () => {
  const markdown = [...xssCorpus.map(attack => attack.markdown), ordinaryPage];
  // Once any text has loaded the engine of formulas, all others are drawn with it: so each is here, whichever file came before.
  const rendered = await Promise.all(markdown.map(text => renderLoaded(text)));
  const written = rendered.map(({ html }) => html);
  expect(written.filter(html => html.includes('<math')).length).toBeGreaterThan(10);
  expect(await changedInBrowser(page, written)).toEqual([]);
});
