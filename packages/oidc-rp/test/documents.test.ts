import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const here = import.meta.dirname;
const document = (name: string) => readFileSync(new URL(`../../../docs/oidc/${name}`, import.meta.url), 'utf8');

test('docs/oidc/cases.md names every test file and no other', () => {
  const named = new Set([...document('cases.md').matchAll(/`((?:rules\/)?[\w-]+\.test\.ts)`/g)].map(match => match[1]!));
  expect([...named].sort()).toEqual(globSync('{*,rules/*}.test.ts', { cwd: here }).sort());
});

test('docs/oidc/not-claimed.md gives a reason for each case', () => {
  const rows = [...document('not-claimed.md').matchAll(/^\| (.+?) \| (.+) \|$/gm)].slice(2);
  expect(rows.length).toBeGreaterThan(10);
  for (const [, left, reason] of rows) expect(reason!.length, left!).toBeGreaterThan(40);
});

test.each(['openid-suite.md', 'fapi2.md', 'providers.md'])('docs/oidc/%s names only tests that exist', name => {
  const named = [...document(name).matchAll(/`(?:packages\/oidc-rp\/test\/)?((?:rules\/)?[\w-]+\.test\.ts)`/g)].map(
    match => match[1]!,
  );
  expect(named.length).toBeGreaterThan(0);
  const there = globSync('{*,rules/*}.test.ts', { cwd: here });
  expect(named.filter(file => !there.includes(file))).toEqual([]);
});
