import { describe, expect, it } from 'vitest';
import { chooseCoding } from './compressed.ts';

describe('the coding a client takes', () => {
  it.each([
    [undefined, 'plain'],
    ['', 'plain'],
    ['gzip, deflate, br', 'br'],
    ['br;q=1.0, gzip;q=0.8', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.0, gzip;q=0', 'plain'],
    ['br;q=0.5', 'br'],
    ['identity', 'plain'],
    ['brotli', 'plain'],
    ['zbr, xgzip', 'plain'],
    ['br;q=0.001', 'br'],
    ['br;q=0.000, gzip;Q=0.', 'plain'],
  ])('%s: %s', (header, coding) => expect(chooseCoding(header)).toBe(coding));
});
