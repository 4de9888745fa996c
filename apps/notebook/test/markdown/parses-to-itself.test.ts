import fc from 'fast-check';
import type { Root } from 'hast';
import { parseFragment, serialize } from 'parse5';
import { find, html as htmlProperties } from 'property-information';
import { describe, expect, test } from 'vitest';
import { pageElement } from '../../src/markdown/bounded-tree.ts';
import { toUnsafeDocument } from '../../src/markdown/engine.ts';
import { normalize } from '../../src/markdown/normalize.ts';
import { parsesToItself } from '../../src/markdown/parses-to-itself.ts';
import { toSafeTree } from '../../src/markdown/safe-tree.ts';
import { stepProperties, writtenProperties } from '../../src/markdown/schema.ts';
import { settle, settleTree } from '../../src/markdown/settle.ts';
import { text } from '../../src/markdown/tree.ts';
import { changedTrees, e, rootOf } from './changed-trees.ts';
import { chain, chains, choicesOf, strangeNames, treeOf, voids } from './generated-trees.ts';
import { ordinaryPage } from './ordinary-page.ts';
import { isReadAlike, keptHtml } from './read-again.ts';
import { xssCorpus } from './xss-corpus.ts';

const treeFor = (markdown: string): Root => toSafeTree(toUnsafeDocument(normalize(markdown), true), 'user-content-').tree;

describe('a tree that the parser changes is not taken for one that it keeps', () => {
  test.each(Object.entries(changedTrees))('%s', (_, tree) => {
    expect(keptHtml(tree)).toBeUndefined();
  });

  test.each(strangeNames)('nor one with <%s>, which no page may hold, whatever is in it', name => {
    expect(keptHtml(rootOf(e(name, 'x')))).toBeUndefined();
    expect(keptHtml(rootOf(e('div', e(name))))).toBeUndefined();
  });

  test.each([...voids])('nor one with content in <%s>, which its HTML would not show', name => {
    const parent = { col: e('table', e('colgroup', e(name, 'x'))) }[name] ?? e(name, 'x');
    expect(keptHtml(rootOf(parent))).toBeUndefined();
  });

  test('nor one with a comment or a lone surrogate', () => {
    expect(keptHtml(rootOf({ type: 'comment', value: 'x' }))).toBeUndefined();
    expect(keptHtml(rootOf(text('\ud800')))).toBeUndefined();
  });

  test('every element in every other, and one of each kind in those', () => {
    const wrong: string[] = [];
    let kept = 0;
    for (const names of chains())
      for (const withText of [true, false]) {
        const html = keptHtml(chain(names, withText));
        if (html === undefined) continue;
        kept += 1;
        if (!isReadAlike(html)) wrong.push(html);
      }
    expect(wrong).toEqual([]);
    expect(kept).toBeGreaterThan(7_000);
  });

  test('grown trees', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5_999), { maxLength: 300, size: 'max' }), numbers => {
        const html = keptHtml(treeOf(choicesOf(numbers)));
        return html === undefined || isReadAlike(html);
      }),
      { numRuns: 2_000 },
    );
  });

  test('the corpus of attacks', () => {
    const wrong = xssCorpus.filter(({ markdown }) => {
      const html = keptHtml(treeFor(markdown));
      return html !== undefined && !isReadAlike(html);
    });
    expect(wrong).toEqual([]);
  });

  test('so its HTML is parsed again', () => {
    const tree = rootOf(e('a', e('a', 'x')));
    expect(settleTree(tree, '<a><a>x</a></a>')).toBe(settle('<a><a>x</a></a>'));
    expect(settle('<a><a>x</a></a>')).toBe('<a></a><a>x</a>');
  });
});

describe('html is parsed until parsing changes nothing', () => {
  const parsed = (html: string) => serialize(parseFragment(pageElement, html, {}));

  // Found by trying random combinations of tags, of which none changed four times.
  test.each([
    [1, '<p><p><i>'],
    [2, '<h1><a><h2><a>'],
    [3, '</h1><h1><a><a><a><h2><table><a>'],
  ])('%i times: %s', (times, html) => {
    const readings = [html];
    for (let time = 0; time < times; time += 1) readings.push(parsed(readings.at(-1)!));
    expect(new Set(readings).size).toBe(times + 1);
    expect(parsed(readings.at(-1)!)).toBe(readings.at(-1));
    expect(settle(html)).toBe(readings.at(-1));
  });
});

describe('ordinary pages need no second parsing', () => {
  test('a page like many README files', () => {
    const html = keptHtml(treeFor(ordinaryPage));
    expect(html).toBeDefined();
    expect(isReadAlike(html!)).toBe(true);
  });

  test.each([
    'a <b>b <i>c</i></b> <sub>d</sub>',
    '<p align="right">a <a href="https://example.org">b</a></p>',
    '<pre>\na\n</pre>',
    '<details open><summary>a</summary>\n\n# b\n\n</details>',
    '<table><tr><td>a</table>',
    '<ul><li>a<li>b<ul><li>c</ul></ul>',
  ])('%s', markdown => {
    expect(parsesToItself(treeFor(markdown), '')).toBe(true);
  });

  test('so it is not parsed again', () => {
    expect(settleTree(rootOf(e('p', 'x')), '<p><p>')).toBe('<p><p>');
  });
});

test('every known property has an attribute name of its own, which the parser reads as it is', () => {
  const names = [...new Set([...writtenProperties, ...stepProperties])].map(name => find(htmlProperties, name).attribute);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter(name => !/^[a-z]+(?:-[a-z]+)*$/.test(name))).toEqual([]);
});
