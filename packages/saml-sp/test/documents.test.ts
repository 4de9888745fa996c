import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { samlErrors } from '../src/errors.ts';

const document = (name: string): string => readFileSync(new URL(`../../../docs/saml/${name}`, import.meta.url), 'utf8');

describe('documents and code agree', () => {
  test('docs/saml/errors.md lists exactly the codes of the catalogue', () => {
    const rows = [...document('errors.md').matchAll(/^\| `(SAML_\w+)` \| (.*) \|$/gm)].map(([, code, check]) => [code, check]);
    expect(rows).toEqual(Object.entries(samlErrors));
  });

  test('every code is thrown somewhere and expected by some test', () => {
    const read = (pattern: string) =>
      globSync(pattern, { cwd: import.meta.dirname })
        .map(file => readFileSync(`${import.meta.dirname}/${file}`, 'utf8'))
        .join('\n');
    const sources = read('../src/**/*.ts').replace(/export const samlErrors = \{.*?\} as const;/s, '');
    const tests = read('**/*.test.ts');
    for (const code of Object.keys(samlErrors)) {
      expect(sources, code).toContain(`'${code}'`);
      expect(tests, code).toContain(`'${code}'`);
    }
  });

  test('docs/saml/cases.md names files that are there, and all 47 kinds of vulnerability', () => {
    const text = document('cases.md');
    const files = [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(80);
    for (const file of files) expect(existsSync(new URL(`./${file}`, import.meta.url)), file).toBe(true);
    const rows = text.slice(text.indexOf('## Vulnerabilities')).match(/^\| [^|]+ \| `/gm);
    expect(rows).toHaveLength(47);
  });

  test('docs/saml/saml2int.md names only tests that exist', () => {
    const files = [...document('saml2int.md').matchAll(/`([\w./-]+\.ts)`/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(40);
    for (const file of files) expect(existsSync(new URL(`./${file}`, import.meta.url)), file).toBe(true);
  });
});
