import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorCatalogue } from '../src/index.ts';
import { renderApiReference } from '../tools/api-reference.ts';

const written = readFileSync(new URL('../../../docs/oidc/api.md', import.meta.url), 'utf8');

test('the API reference says what the docstrings say', { timeout: 60_000 }, () => {
  expect(written).toBe(renderApiReference());
});

test('every exported name has words of its own', () => {
  const silent = written
    .split('\n### ')
    .slice(1)
    .filter(entry => /^`\w+`\n\n```/.test(entry));
  expect(silent.map(entry => entry.split('\n')[0])).toEqual([]);
});

test('every error code stands in it', () => {
  for (const code of Object.keys(errorCatalogue)) expect(written).toContain(`| \`${code}\` |`);
});

test('everything that a program begins with shows an example', () => {
  const entries = new Map(
    written
      .split('\n### ')
      .slice(1)
      .map(entry => [/^`(\w+)`/.exec(entry)![1]!, entry]),
  );
  const functionsAndClasses = [...entries].filter(([, entry]) => /```ts\nexport (?:class|function) /.test(entry));
  expect(functionsAndClasses.filter(([, entry]) => !entry.includes('\nExample:\n\n```ts\n')).map(([name]) => name)).toEqual([]);
});
