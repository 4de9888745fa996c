import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { renderSchemaTexts } from '../schemas/embed.ts';
import { schemaTexts } from '../src/schema-texts.generated.ts';

test('what is embedded is what stands in schemas/', () => {
  expect(readFileSync(new URL('../src/schema-texts.generated.ts', import.meta.url), 'utf8')).toBe(renderSchemaTexts());
});

const folders = ['/usr/share/xml/opensaml', '/usr/share/xml/xmltooling'];
const debian = folders.every(existsSync);
if (!debian)
  console.warn('SKIPPED: comparison with the schemas of Debian: opensaml-schemas or xmltooling-schemas is not installed');

describe.skipIf(!debian)(`the schemas equal those of Debian${debian ? '' : ' (skipped: not installed)'}`, () => {
  test.each(Object.keys(schemaTexts))('%s', name => {
    const file = folders.map(folder => `${folder}/${name}`).find(existsSync);
    expect(file, `${name} is not in Debian`).toBeDefined();
    expect(schemaTexts[name]).toBe(readFileSync(file ?? '', 'utf8'));
  });
});
