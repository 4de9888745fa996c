import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { exampleConfig } from '../src/config/example.ts';
import { ConfigSchema } from '../src/config/schema.ts';
import { catalog } from '../src/errors.ts';

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../../../docs/gate/${name}`, import.meta.url)), 'utf8');

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** `session.keys`: every setting of an object and of the objects in it. */
function settingsOf(schema: Schema, before = ''): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    if (name === '$schema') return [];
    const isSecret = inner.properties?.env !== undefined;
    return [`${before}${name}`, ...(isSecret ? [] : settingsOf(inner, `${before}${name}.`))];
  });
}

describe('docs/gate', () => {
  test('the published schema is the one that checks', () => {
    expect(JSON.parse(read('gate.schema.json'))).toEqual(JSON.parse(JSON.stringify(ConfigSchema)));
  });

  test('configuration.md shows every setting, and no other', () => {
    const whole = ConfigSchema as unknown as Schema;
    const providers = whole.properties?.providers?.items?.anyOf ?? [];
    const rule = whole.properties?.rules?.items as Schema;
    const application = whole.properties?.bridge?.properties?.clients?.items as Schema;
    const shown = [...read('configuration.md').matchAll(/^\| `([\w.]+)` \|/gm)].map(match => match[1]);
    expect(shown).toEqual([whole, ...providers, application, rule].flatMap(schema => settingsOf(schema)));
  });

  test('the page for a decision-maker gives the four rules of the specification', () => {
    const page = read('README.md');
    for (const words of [
      'The other side speaks only SAML: use SAML.',
      'There are mobile, single-page or native apps, or programs that call an API: use OpenID Connect.',
      'A new service without such constraints uses OpenID Connect.',
      'Some need one and some the other: put an identity provider in front that speaks both.',
    ])
      expect(page).toContain(`**${words}**`);
  });

  test('openid-suite.md names the modules that are tested, and no other as shown', () => {
    const tests = readFileSync(fileURLToPath(new URL('bridge/openid-suite.test.ts', import.meta.url)), 'utf8');
    const modules = (text: string) => new Set([...text.matchAll(/\boidcc-[a-z0-9-]+\b/g)].map(([name]) => name));
    const table = read('openid-suite.md').split('| Module | Verdict |')[1] ?? '';
    expect([...modules(table)].sort()).toEqual([...modules(tests)].sort());
  });

  test('a new set-up begins with OpenID Connect and short sessions', () => {
    const config = JSON.parse(exampleConfig.replace(/^\s*\/\/.*$/gm, ''));
    expect(config.providers.map((provider: { protocol: string }) => provider.protocol)).toEqual(['oidc']);
    expect(config.session).toMatchObject({ lifetime: '8h', idle: '1h' });
  });

  test('every refusal has a status, a title and a sentence', () => {
    for (const { status, title, text } of Object.values(catalog)) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(title).not.toMatch(/\.$/);
      expect(text).toMatch(/\.$/);
    }
  });
});
