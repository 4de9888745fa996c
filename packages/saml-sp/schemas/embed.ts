/**
 * Writes src/xml/schema-texts.generated.ts from the .xsd files of this folder: `node schemas/embed.ts`.
 * The schemas are embedded in the code so that nothing is read from disk or network while a message is verified.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** The text of the generated module: one string constant for each schema file. */
export function renderSchemaTexts(folder = new URL('.', import.meta.url)): string {
  const files = readdirSync(folder)
    .filter(name => name.endsWith('.xsd'))
    .sort();
  const lines = files.map(name => `  ${JSON.stringify(name)}: ${JSON.stringify(readFileSync(new URL(name, folder), 'utf8'))},`);
  return [
    '// Written by schemas/embed.ts from schemas/*.xsd; do not edit.',
    'export const schemaTexts: Readonly<Record<string, string>> = {',
    ...lines,
    '};',
    '',
  ].join('\n');
}

if (import.meta.main) writeFileSync(new URL('../src/xml/schema-texts.generated.ts', import.meta.url), renderSchemaTexts());
