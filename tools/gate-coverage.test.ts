import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');
const rows = readFileSync(path.join(root, 'docs/gate/coverage.md'), 'utf8')
  .split('\n')
  .filter(line => /^\| (?!promise )/.test(line))
  .map(line => {
    const [, promise = '', code = '', test = ''] = line.split(' | ').join('|').split('|');
    return { promise: promise.trim(), code, test };
  });

/** Paths are below apps/gate unless they begin with another folder of the repository. */
function placeOf(file: string): string {
  return path.join(root, /^(?:packages|docs|bench|tools)\//.test(file) ? '' : 'apps/gate', file);
}

describe('docs/gate/coverage.md', () => {
  it('has a row for each promise', () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(new Set(rows.map(row => row.promise)).size).toBe(rows.length);
  });

  it('names code that there is', () => {
    const files = rows.flatMap(({ promise, code }) => {
      const named = [...code.matchAll(/`([^`]+)`/g)].map(match => match[1] ?? '');
      return named.length === 0 ? [`${promise}: none`] : named.filter(file => !existsSync(placeOf(file)));
    });
    expect(files).toEqual([]);
  });

  it('names tests that there are', () => {
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
