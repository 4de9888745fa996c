import { describe, expect, it } from 'vitest';
import { expiryAfter, isExpired, isPastGrace, readTimestamp } from './expiry.ts';

describe('timestamps', () => {
  it.each([
    ['2026-02-28T23:59:59Z', '2026-02-28T23:59:59.000Z'],
    ['2026-02-28t23:59:59.123456z', '2026-02-28T23:59:59.123Z'],
    ['2026-02-28 23:59:59+05:30', '2026-02-28T18:29:59.000Z'],
    ['2028-02-29T00:00:00-08:00', '2028-02-29T08:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['2026-12-31T19:00:00+19:00', '2026-12-31T00:00:00.000Z'],
    ['2026-03-01T23:59:00+23:59', '2026-03-01T00:00:00.000Z'],
  ])('%s is %s', (text, iso) => expect(new Date(readTimestamp(text)!).toISOString()).toBe(iso));
  it.each([
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T24:30:00Z',
    '2026-01-01T24:00:00Z',
    '9999-12-31T23:59:59-00:01',
    '2026-01-01T00:00:00',
    '2026-01-01',
    'tomorrow',
    '2026-00-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:61Z',
    '2026-01-01T00:00:00.1234567890Z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00+0100',
    '2026-01-01T00:00:00+01:60',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z ',
    '2026-01-01T00:00:00Z (noon)',
    '(noon) 2026-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    '0000-01-01T00:00:00Z',
    '1e400',
    '2026-01-01T00:00:00+24:00',
    '12026-01-01T00:00:00Z',
  ])('%s is none', text => expect(readTimestamp(text)).toBeUndefined());
});

describe('expiry', () => {
  it.each([
    ['1h', 1 / 24],
    ['1d', 1],
    ['7d', 7],
    ['30d', 30],
    ['90d', 90],
    ['1y', 365],
  ] as const)('after %s is %d days on', (duration, days) => expect(expiryAfter(duration, 0)).toBe(days * 86_400_000));

  it('is absolute, expires at the second itself and ends its grace 3 days later', () => {
    const at = expiryAfter('7d', 1_000);
    expect(at).toBe(604_801_000);
    expect([isExpired(at, at - 1), isExpired(at, at)]).toEqual([false, true]);
    expect([isPastGrace(at, at + 259_199_999), isPastGrace(at, at + 259_200_000)]).toEqual([false, true]);
    expect([isExpired(null, 9e15), isPastGrace(null, 9e15)]).toEqual([false, false]);
  });
});
