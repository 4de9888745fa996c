import { describe, expect, it } from 'vitest';
import { startOfDay } from './calendar-day.ts';

describe('the beginning of a calendar day', () => {
  it.each([
    ['UTC', '2026-03-01T12:00:00Z', '2026-03-01T00:00:00.000Z'],
    ['UTC', '2026-03-01T00:00:00Z', '2026-03-01T00:00:00.000Z'],
    ['UTC', '2026-02-28T23:59:59.999Z', '2026-02-28T00:00:00.000Z'],
    ['Europe/Berlin', '2026-03-01T22:59:59Z', '2026-02-28T23:00:00.000Z'],
    ['Europe/Berlin', '2026-03-01T23:00:00Z', '2026-03-01T23:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-03-01T12:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['America/Los_Angeles', '2026-03-01T07:59:59Z', '2026-02-28T08:00:00.000Z'],
    // The days of 23 and of 25 hours.
    ['Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-28T23:00:00.000Z'],
    ['Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-24T22:00:00.000Z'],
    // Santiago's clocks go from 23:59:59 to 01:00:00, so that day has no midnight.
    ['America/Santiago', '2026-09-06T12:00:00Z', '2026-09-06T04:00:00.000Z'],
  ])('%s at %s', (zone, now, start) => {
    expect(new Date(startOfDay(Date.parse(now), zone)).toISOString()).toBe(start);
  });
});
