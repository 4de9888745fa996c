import { describe, expect, it } from 'vitest';
import { chooseCoding } from './compressed.ts';

describe('the coding a client takes', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['gzip, deflate, br', 'br'],
    ['br;q=1.0, gzip;q=0.8', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.0, gzip;q=0', undefined],
    ['br;q=0.5', 'br'],
    ['identity', undefined],
    ['brotli', undefined],
    ['zbr, xgzip', undefined],
  ])('%s: %s', (header, coding) => expect(chooseCoding(header)).toBe(coding));
});
