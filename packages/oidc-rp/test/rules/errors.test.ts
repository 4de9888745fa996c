import { expect, test } from 'vitest';
import { errorCatalogue, OidcError } from '../../src/index.ts';

test('every code has a sentence of its own', () => {
  const sentences = Object.values(errorCatalogue);
  expect(new Set(sentences).size).toBe(sentences.length);
});

test('every code is thrown somewhere, and each is checked by a test', async () => {
  const { globSync, readFileSync } = await import('node:fs');
  const root = new URL('../../', import.meta.url).pathname;
  const read = (pattern: string) =>
    globSync(pattern, { cwd: root })
      .map(file => readFileSync(root + file, 'utf8'))
      .join('\n');
  const [source, tests] = [read('src/**/*.ts').replace(/export const errorCatalogue[\s\S]*?as const/, ''), read('test/**/*.ts')];
  expect(Object.keys(errorCatalogue).filter(code => !source.includes(`'${code}'`))).toEqual([]);
  expect(Object.keys(errorCatalogue).filter(code => !tests.includes(`'${code}'`))).toEqual([]);
});

test('an error says the check, what was expected and what came, short and on one line', () => {
  const error = new OidcError('OIDC_CLAIM_AUD', {
    check: 'id_token.aud',
    expected: 'notes',
    received: ['a\nb', 'x'.repeat(500)],
  });
  expect(error).toMatchObject({ name: 'OidcError', code: 'OIDC_CLAIM_AUD', check: 'id_token.aud', expected: 'notes' });
  expect(error.message).toMatch(/^The token is meant for another client \(id_token\.aud; expected notes, received \["a\\nb",/);
  expect(error.received).toHaveLength(201);
});

test('what cannot be written as JSON does not break the error', () => {
  const round: Record<string, unknown> = {};
  round.self = round;
  expect(new OidcError('OIDC_CLAIM_AUD', { check: 'x', received: round }).received).toBe('object');
});
