import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as entries from '../src/index.ts';

const source = readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8');
/** The file that an entry comes from. */
const fileOf = (name: string): string =>
  [...source.matchAll(/export \{([^}]*)\} from '(\.\/[\w/-]+\.ts)'/g)].find(([, names = '']) =>
    new RegExp(`\\b${name}\\b`).test(names),
  )?.[2] ?? '';

test.each(Object.keys(entries))('%s says what it is for, with an example', name => {
  const text = readFileSync(new URL(`../src/${fileOf(name)}`, import.meta.url), 'utf8');
  const declared = text.search(new RegExp(`export (?:async )?(?:const|function|class) ${name}\\b`));
  const comment = text.slice(0, declared).match(/\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/)?.[0] ?? '';
  expect(comment).toContain('@example');
});
