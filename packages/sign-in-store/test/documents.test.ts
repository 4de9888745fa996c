import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { defaultLimits, storeErrorCatalogue } from '../src/index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

test('the README shows every error code with its status and title', () => {
  for (const [code, { status, title }] of Object.entries(storeErrorCatalogue))
    expect(readme).toContain(`| \`${code}\` | ${status} | ${title} |`);
});

test('the README shows every limit', () => {
  const shown = [...readme.matchAll(/^\| `([a-z]\w*)` \| ([\d,]+)( KiB| MiB)? \|/gm)].map(([, name, number, unit]) => {
    const scale = unit === ' KiB' ? 1024 : unit === ' MiB' ? 1_048_576 : 1;
    return [name, Number(number?.replaceAll(',', '')) * scale];
  });
  expect(Object.fromEntries(shown)).toEqual(defaultLimits);
});
