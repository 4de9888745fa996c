import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');
const text = readFileSync(path.join(root, 'docs/spec-coverage.md'), 'utf8');
const rows = text
  .split('\n')
  .filter(line => /^\| [NS]\d/.test(line))
  .map(line => {
    const [, id = '', sentence = '', state = '', where = ''] = line.split(/(?<!\\)\|/).map(cell => cell.trim());
    return { id, sentence, state, files: [...where.matchAll(/`([^`\s]+\/[^`\s]+\.\w+)`/g)].map(match => match[1]!) };
  });

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

  it('names files that exist', () => {
    const missing = rows.flatMap(row =>
      row.files.filter(file => !existsSync(path.join(root, file))).map(file => `${row.id}: ${file}`),
    );
    expect(missing).toEqual([]);
  });

  it('names a test for each row that is done', () => {
    expect(rows.filter(row => row.state.startsWith('done') && !row.files.some(isTestFile)).map(row => row.id)).toEqual([]);
  });

  it('names a decision for each row that the specifications do not show', () => {
    const silent = rows.filter(row => row.sentence.startsWith('Not shown:'));
    expect(silent.length).toBeGreaterThan(0);
    expect(silent.filter(row => row.state !== 'decided' || !row.files.some(isDecision))).toEqual([]);
    expect(rows.filter(row => row.state === 'decided' && !row.sentence.startsWith('Not shown:'))).toEqual([]);
  });
});
