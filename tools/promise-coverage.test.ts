import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');
/** Tables of promises, each with the folder that its paths are relative to and its minimum number of rows. */
const tables = [
  { document: 'docs/gate/coverage.md', folder: 'apps/gate', rowsAtLeast: 100 },
  { document: 'docs/link-coverage.md', folder: 'apps/notebook', rowsAtLeast: 20 },
];

function rowsOf(document: string) {
  return readFileSync(path.join(root, document), 'utf8')
    .split('\n')
    .filter(line => /^\| (?!promise )/.test(line))
    .map(line => {
      const [, promise = '', code = '', test = ''] = line.split(' | ').join('|').split('|');
      return { promise: promise.trim(), code, test };
    });
}

describe.each(tables)('$document', ({ document, folder, rowsAtLeast }) => {
  const rows = rowsOf(document);
  /** Paths are relative to the table's folder, unless they start with another folder of the repository. */
  const placeOf = (file: string) => path.join(root, /^(?:packages|docs|bench|tools)\//.test(file) ? '' : folder, file);

  it('has a row for each promise', () => {
    expect(rows.length).toBeGreaterThan(rowsAtLeast);
    expect(new Set(rows.map(row => row.promise)).size).toBe(rows.length);
  });

  it('names only code that exists', () => {
    const files = rows.flatMap(({ promise, code }) => {
      const named = [...code.matchAll(/`([^`]+)`/g)].map(match => match[1] ?? '');
      return named.length === 0 ? [`${promise}: none`] : named.filter(file => !existsSync(placeOf(file)));
    });
    expect(files).toEqual([]);
  });

  it('names only tests that exist', () => {
    const missing = rows.flatMap(({ promise, test }) => {
      if (test.includes('measured, not asserted')) return [];
      const named = [...test.matchAll(/`([^`]+)`: “([^”]+)”/g)];
      if (named.length === 0) return [`${promise}: none`];
      return named.flatMap(([, file = '', name = '']) =>
        existsSync(placeOf(file)) && readFileSync(placeOf(file), 'utf8').includes(name) ? [] : [`${file}: ${name}`],
      );
    });
    expect(missing).toEqual([]);
  });
});
