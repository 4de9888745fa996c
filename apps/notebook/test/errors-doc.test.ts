import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { catalog } from '../src/errors.ts';

it('docs/errors.md is the catalog, row by row', () => {
  const document = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const rows = [...document.matchAll(/^\| (\d{3}) \| `(\w+)` \| (.+?) \| .+ \|$/gm)].map(([, status, code, title]) => [
    code,
    { status: Number(status), title },
  ]);
  expect(Object.fromEntries(rows)).toEqual(catalog);
});
