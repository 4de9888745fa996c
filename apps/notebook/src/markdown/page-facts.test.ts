import { expect, test } from 'vitest';
import { readFacts } from './page-facts.ts';
import { plainFacts } from './plain-facts.ts';
import { renderLoaded } from './render-loaded.ts';

const read = (markdown: string) => renderLoaded(markdown, { read: readFacts });

test.each([
  [
    'words without headings, tags and twice the space',
    '# Title\n\nOne *two*\nthree.\n\n## Next\n\n- four\n- five',
    'One two three. four five',
  ],
  ['a line break parts words', 'one<br>two', 'one two'],
  ['cells and code', '| a | b |\n|---|---|\n| c | d |\n\n`<x>` & more', 'a b c d <x> & more'],
  ['a formula by its source, once', 'Of $x^2$ and so on', 'Of x^2 and so on'],
  ['no footnote and no mark of one', 'Of note[^1] and more[^1].\n\n[^1]: Said *below*.', 'Of note and more.'],
  ['no image', '![a picture](https://a.example/b.png)', ''],
])('a description has %s', async (_, markdown, description) => {
  expect((await read(markdown)).facts?.description).toBe(description);
});

test('a long description ends with a word, and one long word within 180 characters', async () => {
  const long = (await read('word '.repeat(100))).facts!.description;
  expect(long).toMatch(/^(?:word )*word…$/);
  expect(long.length).toBeGreaterThan(170);
  expect(long.length).toBeLessThanOrEqual(181);
  expect((await read('x'.repeat(500))).facts?.description).toBe(`${'x'.repeat(180)}…`);
});

test.each([
  ['nothing', '', 1],
  ['a few words', 'a few words', 1],
  ['660 words', 'word '.repeat(660), 3],
  ['900 signs of a script without spaces', '字'.repeat(900), 2],
  ['an address is no text', `[a](https://a.example/${'many-words-'.repeat(500)})`, 1],
  ['more than is counted, as its beginning', 'word '.repeat(110_000), 500],
])('minutes: %s', async (_, markdown, minutes) => {
  expect((await read(markdown)).facts?.minutes).toBe(minutes);
  if (!markdown.startsWith('[')) expect(plainFacts(markdown).minutes).toBe(minutes);
});

test('a formula counts as it is drawn, not a second time as its source', async () => {
  const formulas = (await read('$ab$ '.repeat(300))).facts!.minutes;
  expect(formulas).toBe((await read('a b '.repeat(300))).facts!.minutes);
});

test.each([
  ['a diagram', '```mermaid\ngraph TD\n```', true, false],
  ['another language, and its name in the text', '```js\n<code class="language-mermaid">\n```', undefined, false],
  ['a line between two slides', 'one\n\n---\n\ntwo', undefined, true],
  ['what only looks like one', '`<hr>`', undefined, false],
])('%s', async (_, markdown, diagrams, slides) => {
  const rendered = await read(markdown);
  expect([rendered.diagrams, rendered.facts?.slides]).toEqual([diagrams, slides]);
});

test.each([
  ['upright words alone', '# A **heading**\n\n- one', undefined],
  ['code in a sentence', 'one `two`', ['mono']],
  ['a fence', '```\none\n```', ['mono']],
  ['keys', '<kbd>Esc</kbd>', ['mono']],
  ['stress, and a key', 'one *two* <kbd>Esc</kbd>', ['italic', 'mono']],
  ['a quotation', '> one', ['italic']],
  ['what only looks like it', '\\*one\\* \\`two\\`', undefined],
])('typefaces of %s', async (_, markdown, typefaces) => {
  expect((await read(markdown)).facts?.typefaces).toEqual(typefaces);
});

test('a text that is shown plain is described by its words as they were written', () => {
  expect(plainFacts('# Title\n\n*one*  two')).toEqual({ description: '# Title *one* two', minutes: 1, slides: false });
});

test('the language is that of the words, whatever is in code', async () => {
  const german = 'Wir haben gestern lange darüber gesprochen, wie wir die Wohnung einrichten wollen.';
  const code = 'this is what the program says while the others are waiting for an answer\n'.repeat(20);
  for (const written of [`\`\`\`\n${code}\`\`\``, `<samp>${code}</samp>`, `<kbd>${code}</kbd>`])
    expect((await read(`${written}\n\n${german}`)).language).toBe('de');
});
