import { describe, expect, it } from 'vitest';
import { jsonPieces } from './long-json.ts';

describe('JSON in pieces', () => {
  const odd = '\u0001"\\\u2028é予🗓️\ud800 ';
  const joined = (value: object) => [...jsonPieces(value)].join('');

  it.each([
    ['nothing', {}],
    ['an empty list', []],
    ['what JSON has', { text: odd, count: 1.5, yes: true, none: null, list: [1, 'two', { three: 3 }, []], nested: { text: '' } }],
    ['what JSON leaves out', { there: 1, missing: undefined }],
    [
      'a text that is cut everywhere',
      { markdown: odd.repeat(10_000), title: '🗓'.repeat(20_000), shifted: `x${'🗓'.repeat(20_000)}` },
    ],
  ])('%s is what JSON.stringify makes', (_, value) => {
    expect(joined(value)).toBe(JSON.stringify(value));
  });

  it('comes in pieces that are made in a moment each', () => {
    const pieces = [...jsonPieces({ markdown: '\u0001'.repeat(1_048_576), items: Array.from({ length: 20_000 }, () => 'a') })];
    expect(pieces.length).toBeGreaterThan(60);
    // Six characters for each, and what stood before them.
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(6 * 16_384 + 16_384);
  });
});
