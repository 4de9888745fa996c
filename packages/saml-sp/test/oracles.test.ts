import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { SamlErrorCode } from '../src/errors.ts';
import { hasSchemas, validateByDebian, verifyByXmlsec1, withFiles, xmlsec1Missing } from './support/oracles.ts';
import { buildFault, collectRules, type Fault } from './support/rule.ts';

const missing =
  xmlsec1Missing ?? (hasSchemas ? undefined : "Debian's schemas of SAML, or php-xml to read them, are not installed");

/** Reasons stand in docs/saml/oracles.md, one row for each (code, xmlsec1's word, Debian's word) that differs from ours. */
function writtenReasons(): Set<string> {
  const text = readFileSync(new URL('../../../docs/saml/oracles.md', import.meta.url), 'utf8');
  return new Set(
    [...text.matchAll(/^\| `(\w+)` \| (good|bad) \| (valid|invalid) \| \S.{20,} \|$/gm)].map(
      ([, code, signature, schema]) => `${code} ${signature} ${schema}`,
    ),
  );
}

interface Verdict {
  fault: Fault;
  signature: 'good' | 'bad';
  schema: 'valid' | 'invalid';
}

async function everyVerdict(): Promise<Verdict[]> {
  const rules = collectRules();
  const files = (await readdir(new URL('./rules/', import.meta.url))).filter(name => name !== 'replay.test.ts');
  await Promise.all(files.map(name => import(`./rules/${name.replace('.test.ts', '')}.test.ts`)));
  const faults = rules.flatMap(rule => rule.faults).filter(fault => !fault.crashesOracles);
  return withFiles(
    faults.map(fault => buildFault(fault, fault.modes?.[0] ?? 'plain')),
    (paths, folder) => {
      const signatures = verifyByXmlsec1(paths, folder);
      const schemas = validateByDebian(paths, folder);
      return faults.map((fault, at) => ({
        fault,
        signature: signatures[at] ? 'good' : 'bad',
        schema: schemas[at] ? 'valid' : 'invalid',
      }));
    },
  );
}

describe.skipIf(missing)('every fixture before two oracles', () => {
  test('agrees, or differs for a written reason', async () => {
    const verdicts = await everyVerdict();
    expect(verdicts.length).toBeGreaterThan(400);
    const reasons = writtenReasons();
    const unexplained = new Map<string, string[]>();
    for (const { fault, signature, schema } of verdicts) {
      const code = fault.code as SamlErrorCode | 'accepted' | 'wrapped';
      const agreed =
        code === 'accepted'
          ? signature === 'good' && schema === 'valid'
          : code === 'SAML_SCHEMA_INVALID'
            ? schema === 'invalid'
            : signature === 'bad';
      const key = `${code} ${signature} ${schema}`;
      if (!agreed && !reasons.has(key)) unexplained.set(key, [...(unexplained.get(key) ?? []), fault.name]);
    }
    expect(Object.fromEntries(unexplained)).toEqual({});
  }, 170_000);

  test('the oracles themselves can tell good from bad', () => {
    const good = buildFault({ name: '', code: 'accepted' }, 'plain');
    const changed = String(good).replace('>alice<', '>admin<');
    withFiles([good, changed, '<a/>'], (files, folder) => {
      expect(verifyByXmlsec1(files, folder)).toEqual([true, false, false]);
      expect(validateByDebian(files, folder)).toEqual([true, true, false]);
    });
  });
});
