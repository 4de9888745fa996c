import { describe, expect, it } from 'vitest';
import { actions } from '../../src/browser/field/formatting/actions.ts';
import { type AlertKind, insertAlert, insertTable } from '../../src/browser/field/formatting/blocks.ts';
import { insertCodeBlock } from '../../src/browser/field/formatting/code-block.ts';
import { continueList } from '../../src/browser/field/formatting/continue-list.ts';
import { findFence } from '../../src/browser/field/formatting/fence.ts';
import { setHeading } from '../../src/browser/field/formatting/line-marks.ts';
import type { FieldText, TextEdit } from '../../src/browser/field/text/field-text.ts';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { eachActionCase } from './action-cases.ts';
import { enterCases, plainEnterCases } from './enter-cases.ts';
import { edited, readMarked, writeMarked } from './marked-text.ts';

function run(edit: (field: FieldText) => TextEdit | undefined, marked: string): string {
  const field = readMarked(marked);
  const made = edit(field);
  return made ? writeMarked(edited(field, made)) : 'untouched';
}

describe('actions', () => {
  it.each(eachActionCase)('%s: %j becomes %j', (_, before, after, { edit }) => {
    expect(run(edit, before)).toBe(after);
  });
});

describe('what a button marks is marked for readers too', () => {
  const tags = { bold: 'strong', italic: 'em', strike: 'del' } as const;
  const [edges, around] = [
    ['', '：', '“', '(', '…', '😀', ',', '_', '`c`'],
    ['', 'a', '本', '。', '😀', ' '],
  ];
  const texts = edges.flatMap(edge =>
    around.flatMap(left => around.map(right => `${left}{${edge}x${edge.replace('(', ')').replace('“', '”')}}${right}`)),
  );
  it.each(['bold', 'italic', 'strike'] as const)('%s', name => {
    // Italic words that are marked as italic are unmarked instead.
    const unmarked = texts
      .filter(text => !(name === 'italic' && text.includes('_')))
      .filter(text => {
        const marked = run(actions[name].edit, text).replace(/[{}]/g, '');
        return !new RegExp(`<${tags[name]}>[^]*x[^]*</${tags[name]}>`).test(renderMarkdown(marked).html);
      });
    expect(unmarked).toEqual([]);
  });
});

describe('Enter', () => {
  it.each(enterCases)('%j becomes %j', (before, after) => {
    expect(run(continueList, before)).toBe(after);
  });
  it.each(plainEnterCases)('%j is left to the browser', before => {
    expect(run(continueList, before)).toBe('untouched');
  });
});

describe('a code block with a language', () => {
  it.each([
    ['a|b', 'js', 'ab\n```js\n|\n```'],
    ['{x = 1}', 'python', '```python\n{x = 1}\n```'],
    ['```\nx|\n```', 'go', '```go\nx|\n```'],
    ['```rust\n{x}\n```', 'go', '```go\n{x}\n```'],
    ['> ```\n> x|\n> ```', 'go', '> ```go\n> x|\n> ```'],
  ])('%j with %s becomes %j', (before, language, after) => {
    expect(run(field => insertCodeBlock(field, language), before)).toBe(after);
  });
  it('without one takes the fences away', () => {
    expect(run(field => insertCodeBlock(field), 'a\n\n~~~js\nx|y\n~~~\nb')).toBe('a\n\nx|y\nb');
    expect(run(field => insertCodeBlock(field), '```\n|\n```')).toBe('|');
  });
});

describe('a heading of a level', () => {
  it.each([
    ['wor|d', 2, '## wor|d'],
    ['# wor|d', 3, '### wor|d'],
    ['## wor|d', 2, 'wor|d'],
    ['### wor|d', 0, 'wor|d'],
    ['#wor|d', 1, '# #wor|d'],
    ['> wor|d', 1, '> # wor|d'],
  ])('%j at %i becomes %j', (before, level, after) => {
    expect(run(field => setHeading(field, level), before)).toBe(after);
  });
});

describe('a table', () => {
  it('stands between empty lines, its first name chosen', () => {
    expect(run(field => insertTable(field, { columns: 2, rows: 1 }), 'on|e\ntwo')).toBe(
      'one\n\n| {Column 1} | Column 2 |\n| -------- | -------- |\n|          |          |\n\ntwo',
    );
  });
});

describe('an alert', () => {
  it.each<[string, AlertKind, string]>([
    ['|', 'Note', '> [!NOTE]\n> |\n'],
    ['wor|d', 'Tip', '> [!TIP]\n> |word\n'],
    ['a\n{b\n\nc}\nd', 'Warning', 'a\n\n> [!WARNING]\n> |b\n>\n> c\n\nd'],
    ['> [!NOTE]\n> wo|rd', 'Caution', '> [!CAUTION]\n> wo|rd'],
  ])('%j as %s becomes %j', (before, kind, after) => {
    expect(run(field => insertAlert(field, kind), before)).toBe(after);
  });
});

describe('inside a fence', () => {
  it.each([
    ['```\n|\n```', true],
    ['```\na\n```\n|', false],
    ['|```\na\n```', true],
    ['a|\n```\nb\n```', false],
    ['```\na\n````\nb|', false],
    ['````\na\n```\nb|', true],
    ['~~~\n```\n|', true],
    ['- a\n  ```js\n  b|\n  ```', true],
    ['> ~~~\n> b|', true],
    ['`` ` ``|', false],
    ['```a```\n|', false],
  ])('%j: %s', (marked, inside) => {
    const { text, start } = readMarked(marked);
    expect(findFence(text, start) !== undefined).toBe(inside);
  });
});
