import { expect, it } from 'vitest';
import { checkSource, checkWords } from './source-checks.ts';

const many = (count: number, line: (at: number) => string) => Array.from({ length: count }, (_, at) => line(at)).join('\n');
const settings = (yaml: string) => `---\n${yaml}\n---\nflowchart TD\n  A --> B`;

it.each([
  ['as long as it may be', `flowchart TD\n${many(79, () => `  A[${'word '.repeat(18)}]`)}`],
  [
    'with a long address that nothing shows',
    `flowchart TD\n${many(20, at => `  click A${at} "https://a.example/${'x'.repeat(80)}"`)}`,
  ],
  ['with emphasis and multiplication in its settings', settings(`title: '**2** * 3 *4*'\n${many(8, at => `x${at}: a*b`)}`)],
  ['whose settings refer to each other a little', settings(`a: &a x\n${many(8, at => `b${at}: *a`)}`)],
  ['with as many spaces as blocks', `block-beta\n  columns 3\n${many(6, () => '  space:10')}`],
  ['that only speaks of spaces', 'flowchart TD\n  A["space:3000000"]'],
])('a source %s is parsed', (_, source) => {
  expect(checkSource(source)).toBeUndefined();
});

it.each([
  ['is too long', `flowchart TD\n${'  A --> B\n'.repeat(900)}`, 'longer than 8000 characters'],
  ['has a long line', `flowchart TD\n  A[${'word '.repeat(80)}]`, 'a line of more than 400 characters'],
  ['has many lines', 'a\n'.repeat(301), 'more than 300 lines'],
  ['has many statements in a line', many(2, () => 'A;'.repeat(151)), 'more than 300 lines'],
  ['has settings that refer to each other', settings(`a: &a x\n${many(3, at => `b${at}: [*a,*a, *a]`)}`), "YAML's *"],
  ['has spaces for a million blocks', 'block-beta\n  columns 3\n  space:1000000 b', 'more than 60 spaces'],
  ['has many groups of spaces', `block\n${many(7, () => '  space:10')}`, 'more than 60 spaces'],
])('a source that %s is not', (_, source, words) => {
  expect(checkSource(source)).toContain(words);
});

it.each([
  ['a long address that nothing shows', 'flowchart-v2', many(20, at => `  click A${at} "https://a.example/${'x'.repeat(80)}"`)],
  ['a long description', 'sequence', many(3, () => `  accDescr: ${'x'.repeat(380)}`)],
  ['a long description in braces', 'er', `  accDescr {\n${many(3, () => 'x'.repeat(380))}\n  }\n  A`],
  ['some long words', 'mindmap', many(4, () => 'w'.repeat(90))],
  ['as many events as lines may be', 'timeline', many(20, at => `  ${at}${' : e'.repeat(6)}`)],
  ['colons of other kinds', 'journey', many(100, at => `  T${at}: 5: me`)],
])('%s: drawn', (_, type, source) => {
  expect(checkWords(type, source)).toBeUndefined();
});

it.each([
  ['many long words', 'flowchart-v2', many(7, () => `  A[${'w'.repeat(61)}]`), 'more than 60 letters have more than 400'],
  [
    'words that would be a statement of another kind',
    'mindmap',
    many(7, () => `  click ${'w'.repeat(61)}`),
    'more than 60 letters',
  ],
  ['long words behind a description', 'flowchart-v2', `accDescr { x }\n${many(7, () => `  A[${'w'.repeat(61)}]`)}`, '60 letters'],
  ['many events in a line', 'timeline', many(18, at => `  ${at}${' : e'.repeat(7)}`), 'more than 120 events'],
])('%s: not drawn', (_, type, source, words) => {
  expect(checkWords(type, source)).toContain(words);
});
