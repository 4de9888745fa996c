import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');
const isOurs = (file: string): boolean => !/(^|\/)(node_modules|dist|\.cache|\.ci)\//.test(file);
const find = (pattern: string): string[] => globSync(pattern, { cwd: root }).filter(isOurs).sort();

const isTest = (file: string): boolean => /(^|\/)test\/|\.(test|long)\.tsx?$/.test(file);
const isComment = (line: string): boolean => /^\s*(?:\/\/|\/?\*)/.test(line);
// The rules and the word list, and what is quoted: a title of a test, a sentence of before.
const proseOf = (line: string): string => line.replaceAll(/“[^”]*”|"[^"]*"|`[^`]*`/g, '');

interface Line {
  readonly at: string;
  readonly line: string;
}

const sources = find('{apps,packages,tools,bench}/**/*.{ts,tsx,css}').filter(file => file !== 'tools/voice.test.ts');

function linesOf(file: string, isWanted: (line: string) => boolean, read = (line: string) => line): Line[] {
  return readFileSync(path.join(root, file), 'utf8')
    .split('\n')
    .flatMap((line, index) => (isWanted(line) ? [{ at: `${file}:${index + 1}`, line: read(line) }] : []));
}

/** Each line of ours that people read: prose, comments, and the sentences of programs. A test's strings are data. */
function linesRead(): Line[] {
  const documents = find('{*.md,docs/**/*.md,{apps,packages}/*/README.md,apps/*/content/**/*.md}');
  return [
    ...sources.flatMap(file => linesOf(file, isTest(file) ? isComment : () => true)),
    ...documents.filter(file => file !== 'docs/voice.md').flatMap(file => linesOf(file, () => true, proseOf)),
  ];
}

const lines = linesRead();
const where = (pattern: RegExp, among = lines) =>
  among.filter(({ line }) => pattern.test(line)).map(({ at, line }) => `${at}: ${line.trim()}`);

it('reads documents, sources and the comments of tests', () => {
  for (const read of [
    'CHANGELOG.md',
    'docs/api.md',
    'apps/notebook/src/views/home.tsx',
    'packages/saml-sp/README.md',
    'tools/dev.ts',
  ])
    expect(lines.some(({ at }) => at.startsWith(`${read}:`))).toBe(true);
  expect(lines.length).toBeGreaterThan(50_000);
});

// docs/voice.md, rule 4: say who it is.
it('nothing that people read says “whoever” or “somebody”', () => {
  expect(where(/\b(?:whoever|somebody)\b/i)).toEqual([]);
});

// People read titles too. They share a line with data, so the data keeps to the rule as well.
it('no test says “whoever” or “somebody” either', () => {
  const ofTests = sources.filter(isTest).flatMap(file => linesOf(file, line => !isComment(line)));
  expect(ofTests.length).toBeGreaterThan(50_000);
  expect(where(/\b(?:whoever|somebody)\b/i, ofTests)).toEqual([]);
});

// docs/voice.md, rule 12.
it('no comment begins with “Of”', () => {
  expect(where(/^\s*(?:\/\/|\/\*\*?) Of /)).toEqual([]);
});

it('no comment of a program begins with “What”', () => {
  const found = where(/^\s*(?:\/\/|\/\*\*?) What /);
  expect(found.filter(line => /^(?:apps|packages)\/[\w-]+\/src\//.test(line) && !/\.test\.tsx?:/.test(line))).toEqual([]);
});

// The word list of docs/voice.md, as far as no field name, quotation or standard needs the word.
it('spelling is American', () => {
  expect(
    where(
      /\b(?:colour|behaviour|dialogue|neighbour|favour|honour|centre|catalogue|licence)s?\b|\b(?:recogn|normal|serial|organ)ise/i,
    ),
  ).toEqual([]);
});
