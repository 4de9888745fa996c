import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');
interface CoverageRow {
  id: string;
  sentence: string;
  state: string;
  files: string[];
}

/** The rows of a table: id, sentence, state, and all files named after it. */
const rowsOf = (document: string, id: RegExp): CoverageRow[] =>
  readFileSync(path.join(root, document), 'utf8')
    .split('\n')
    .filter(line => id.test(line))
    .map(line => {
      const [, name = '', sentence = '', state = '', ...where] = line.split(/(?<!\\)\|/).map(cell => cell.trim());
      return {
        id: name,
        sentence,
        state,
        files: [...where.join(' ').matchAll(/`([^`\s]+\/[^`\s]+\.\w+)`/g)].map(match => match[1]!),
      };
    });

const missingFiles = (rows: CoverageRow[]): string[] =>
  rows.flatMap(row => row.files.filter(file => !existsSync(path.join(root, file))).map(file => `${row.id}: ${file}`));
const withoutTest = (rows: CoverageRow[]): string[] =>
  rows.filter(row => row.state.startsWith('done') && !row.files.some(isTestFile)).map(row => row.id);

const rows = rowsOf('docs/spec-coverage.md', /^\| [NS]\d/);

const isDecision = (file: string) => file.startsWith('docs/decisions/');
const isTestFile = (file: string) => /\.(test|long|contract)\.tsx?$/.test(file);

describe('docs/spec-coverage.md', () => {
  it('has a row for each requirement of both specifications, each with an id of its own', () => {
    const ids = rows.map(row => row.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter(id => id.startsWith('N')).length).toBeGreaterThanOrEqual(140);
    expect(ids.filter(id => id.startsWith('S')).length).toBeGreaterThanOrEqual(100);
    for (const section of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
      expect(ids.some(id => id.startsWith(`N${section}.`))).toBe(true);
      expect(ids.some(id => id.startsWith(`S${section}.`))).toBe(true);
    }
  });

  it('knows four states', () => {
    expect(rows.filter(row => !['done', 'done, differently', 'open', 'decided'].includes(row.state))).toEqual([]);
  });

  it('names the decision of each row that is done differently', () => {
    const different = rows.filter(row => row.state === 'done, differently');
    expect(different.length).toBeGreaterThan(0);
    expect(different.filter(row => !row.files.some(isDecision)).map(row => row.id)).toEqual([]);
  });

  it('names files that exist', () => expect(missingFiles(rows)).toEqual([]));

  it('names a test for each row that is done', () => expect(withoutTest(rows)).toEqual([]));

  it('names a decision for each row that the specifications do not show', () => {
    const silent = rows.filter(row => row.sentence.startsWith('Not shown:'));
    expect(silent.length).toBeGreaterThan(0);
    expect(silent.filter(row => row.state !== 'decided' || !row.files.some(isDecision))).toEqual([]);
    expect(rows.filter(row => row.state === 'decided' && !row.sentence.startsWith('Not shown:'))).toEqual([]);
  });
});

describe('docs/sign-in-coverage.md', () => {
  const signIn = rowsOf('docs/sign-in-coverage.md', /^\| \d+\.\d+ /);

  it('has a row for each sentence, each with an id of its own', () => {
    expect(signIn.length).toBeGreaterThanOrEqual(80);
    expect(new Set(signIn.map(row => row.id)).size).toBe(signIn.length);
    for (const item of Array.from({ length: 15 }, (_, at) => at + 1))
      expect(
        signIn.some(row => row.id.startsWith(`${item}.`)),
        String(item),
      ).toBe(true);
  });

  it('knows two states', () => expect(signIn.filter(row => !['done', 'open'].includes(row.state))).toEqual([]));

  it('names files that exist', () => expect(missingFiles(signIn)).toEqual([]));

  it('names a test for each row that is done', () => expect(withoutTest(signIn)).toEqual([]));
});
