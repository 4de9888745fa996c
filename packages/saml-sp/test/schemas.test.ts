import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { renderSchemaTexts } from '../schemas/embed.ts';
import { schemaTexts } from '../src/xml/schema-texts.generated.ts';

test('what is embedded is what stands in schemas/', () => {
  expect(readFileSync(new URL('../src/xml/schema-texts.generated.ts', import.meta.url), 'utf8')).toBe(renderSchemaTexts());
});

const folders = ['/usr/share/xml/opensaml', '/usr/share/xml/xmltooling'];
const missing = folders.every(existsSync)
  ? undefined
  : "Debian's schemas of SAML are not installed (opensaml-schemas, xmltooling-schemas)";

describe.skipIf(missing)('the schemas equal those of Debian', () => {
  test.each(Object.keys(schemaTexts))('%s', name => {
    const file = folders.map(folder => `${folder}/${name}`).find(existsSync);
    expect(file, `${name} is not in Debian`).toBeDefined();
    expect(schemaTexts[name]).toBe(readFileSync(file ?? '', 'utf8'));
  });
});
