import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../support/browser.ts';
import { type ClientSite, startClientSite } from './client-site.ts';

let site: ClientSite;
let browser: Browser;
let page: Page;

const desk =
  '<!doctype html><html lang="en"><title>desk</title><button>before</button><textarea></textarea><button>after</button></html>';

beforeAll(async () => {
  site = await startClientSite(() => ({ '/desk': desk }), { keys: 'src/browser/editor/field-keys.ts' });
  browser = await launchChromium();
  page = await browser.newPage();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});
beforeEach(async () => {
  await page.goto(`${site.origin}/desk`);
  // As text: the test runner would rewrite an `import()` that it sees.
  await page.evaluate("import('/test/keys.js').then(keys => void keys.wireFieldKeys(document.querySelector('textarea')))");
});

/** `{` and `}` are the selection's ends, `|` a caret. */
async function write(marked: string): Promise<void> {
  await page.evaluate(text => {
    const field = document.querySelector('textarea')!;
    const bare = text.replaceAll(/[{}|]/g, '');
    const start = text.includes('|') ? text.indexOf('|') : text.indexOf('{');
    const end = text.includes('|') ? start : text.indexOf('}') - 1;
    field.focus();
    document.execCommand('insertText', false, bare);
    field.setSelectionRange(start, end);
  }, marked);
}

function read(): Promise<string> {
  return page.evaluate(() => {
    const { value, selectionStart: start, selectionEnd: end } = document.querySelector('textarea')!;
    if (start === end) return `${value.slice(0, start)}|${value.slice(start)}`;
    return `${value.slice(0, start)}{${value.slice(start, end)}}${value.slice(end)}`;
  });
}

async function press(keys: string, marked: string): Promise<string> {
  await write(marked);
  await page.keyboard.press(keys);
  return read();
}

const value = () => page.evaluate(() => document.querySelector('textarea')!.value);
const focused = () => page.evaluate(() => document.activeElement?.textContent || document.activeElement?.tagName);

describe('Tab', () => {
  const cases: [string, string][] = [
    ['a|b', 'a  |b'],
    ['|', '  |'],
    ['a{b\nc}d', '  a{b\n  c}d'],
    ['{one}', '  {one}'],
    ['{a\n\nb}', '  {a\n\n  b}'],
    ['x\n{a\n}b', 'x\n  {a\n}b'],
    ['日{本\n語}', '  日{本\n  語}'],
  ];
  it.each(cases)('%j becomes %j', async (before, after) => {
    expect(await press('Tab', before)).toBe(after);
  });
});

describe('Shift+Tab', () => {
  const cases: [string, string][] = [
    ['  a|b', 'a|b'],
    ['  a{b\n  c}d', 'a{b\nc}d'],
    ['\ta|', 'a|'],
    [' a|', 'a|'],
    ['    a|', '  a|'],
    ['x\n |  b', 'x\n| b'],
    ['a|b', 'a|b'],
  ];
  it.each(cases)('%j becomes %j', async (before, after) => {
    expect(await press('Shift+Tab', before)).toBe(after);
  });

  it('stays in the field when there is nothing to take away', async () => {
    await press('Shift+Tab', 'a|b');
    expect(await focused()).toBe('TEXTAREA');
  });
});

describe('leaving the field', () => {
  it('Esc, then Tab goes to the next element', async () => {
    await write('a|');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('after');
    expect(await value()).toBe('a');
  });

  it('Esc, then Shift+Tab goes to the one before', async () => {
    await write('a|');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+Tab');
    expect(await focused()).toBe('before');
  });

  it('any other key in between takes that back', async () => {
    await write('a|');
    for (const key of ['Escape', 'b', 'Tab']) await page.keyboard.press(key);
    expect(await focused()).toBe('TEXTAREA');
    expect(await value()).toBe('ab  ');
  });
});

describe('formatting', () => {
  const cases: [string, string, string][] = [
    ['Control+b', 'a {word} b', 'a **{word}** b'],
    ['Control+b', 'a **{word}** b', 'a {word} b'],
    ['Control+b', 'a|', 'a**|**'],
    ['Control+Shift+C', '{let x}', '```\n{let x}\n```'],
    ['Control+Shift+C', 'see {a ``` b} there', 'see \n````\n{a ``` b}\n````\n there'],
    ['Control+Shift+C', 'x\n|', 'x\n```\n|\n```'],
  ];
  it.each(cases)('%s: %j becomes %j', async (keys, before, after) => {
    expect(await press(keys, before)).toBe(after);
  });
});

describe('undo and redo', () => {
  const cases: [string, string][] = [
    ['Tab', 'a{b\nc}d'],
    ['Tab', 'a|b'],
    ['Shift+Tab', '  a{b\n  c}d'],
    ['Control+b', 'a {word} b'],
    ['Control+b', 'a **{word}** b'],
    ['Control+Shift+C', 'x {let y} z'],
  ];
  it.each(cases)('%s on %j is taken back and done again in one step', async (keys, marked) => {
    await write(marked);
    const before = await value();
    await page.keyboard.press(keys);
    const after = await value();
    expect(after).not.toBe(before);
    await page.keyboard.press('Control+z');
    expect(await value()).toBe(before);
    await page.keyboard.press('Control+Shift+z');
    expect(await value()).toBe(after);
  });
});
