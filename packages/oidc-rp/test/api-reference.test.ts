import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errorCatalogue } from '../src/index.ts';
import { renderApiReference } from '../tools/api-reference.ts';

const written = readFileSync(new URL('../../../docs/oidc/api.md', import.meta.url), 'utf8');

test('the API reference equals the docstrings', { timeout: 60_000 }, () => {
  expect(written).toBe(renderApiReference());
});

test('documents every exported name', () => {
  const silent = written
    .split('\n### ')
    .slice(1)
    .filter(entry => /^`\w+`\n\n```/.test(entry));
  expect(silent.map(entry => entry.split('\n')[0])).toEqual([]);
});

test('lists every error code', () => {
  for (const code of Object.keys(errorCatalogue)) expect(written).toContain(`| \`${code}\` |`);
});

test('shows an example for every entry point', () => {
  const entries = new Map(
    written
      .split('\n### ')
      .slice(1)
      .map(entry => [/^`(\w+)`/.exec(entry)![1]!, entry]),
  );
  const functionsAndClasses = [...entries].filter(([, entry]) => /```ts\nexport (?:class|function) /.test(entry));
  expect(functionsAndClasses.filter(([, entry]) => !entry.includes('\nExample:\n\n```ts\n')).map(([name]) => name)).toEqual([]);
});
