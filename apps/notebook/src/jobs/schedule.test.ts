import { describe, expect, it } from 'vitest';
import { schedule, timesOf } from './schedule.ts';

const at = (text: string) => Date.parse(text);
const iso = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString());

describe('the cron table', () => {
  it('is the one of the specification', () => {
    expect(schedule).toEqual({ purge: '15 3 * * *', sweep: '45 3 * * 0', 'keep-alive': '0 4 */3 * *' });
  });

  it('purges at 03:15 each day, at the second', () => {
    const { latest, next } = timesOf(schedule.purge, 'UTC');
    expect(iso(latest(at('2026-03-01T03:14:59.999Z')))).toBe('2026-02-28T03:15:00.000Z');
    expect(iso(latest(at('2026-03-01T03:15:00.000Z')))).toBe('2026-03-01T03:15:00.000Z');
    expect(iso(latest(at('2026-03-01T03:15:00.400Z')))).toBe('2026-03-01T03:15:00.000Z');
    expect(iso(next(at('2026-03-01T03:15:00.000Z')))).toBe('2026-03-02T03:15:00.000Z');
    expect(iso(next(at('2026-03-01T03:14:59.999Z')))).toBe('2026-03-01T03:15:00.000Z');
  });

  it('sweeps on Sundays at 03:45', () => {
    const { latest, next } = timesOf(schedule.sweep, 'UTC');
    expect(iso(latest(at('2026-03-01T12:00:00Z')))).toBe('2026-03-01T03:45:00.000Z');
    expect(iso(next(at('2026-03-01T12:00:00Z')))).toBe('2026-03-08T03:45:00.000Z');
  });

  it('keeps alive every third day of a month', () => {
    const { latest, next } = timesOf(schedule['keep-alive'], 'UTC');
    expect(iso(latest(at('2026-11-20T12:00:00Z')))).toBe('2026-11-19T04:00:00.000Z');
    expect(iso(next(at('2026-11-28T12:00:00Z')))).toBe('2026-12-01T04:00:00.000Z');
  });

  it('follows the zone over the change of the clocks: 03:15 in Berlin, each day once', () => {
    const { next } = timesOf(schedule.purge, 'Europe/Berlin');
    const spring = [next(at('2026-03-27T12:00:00Z'))];
    for (let day = 0; day < 3; day++) spring.push(next(spring.at(-1)!));
    expect(spring.map(iso)).toEqual([
      '2026-03-28T02:15:00.000Z',
      '2026-03-29T01:15:00.000Z',
      '2026-03-30T01:15:00.000Z',
      '2026-03-31T01:15:00.000Z',
    ]);
    expect(iso(next(at('2026-10-24T12:00:00Z')))).toBe('2026-10-25T02:15:00.000Z');
    expect(iso(next(at('2026-10-25T02:15:00Z')))).toBe('2026-10-26T02:15:00.000Z');
  });

  it('runs once on a day whose clocks skip or repeat the time', () => {
    const { next, latest } = timesOf('15 2 * * *', 'Europe/Berlin');
    expect(iso(next(at('2026-03-28T12:00:00Z')))).toBe('2026-03-29T01:00:00.000Z');
    expect(iso(next(at('2026-03-29T01:00:00Z')))).toBe('2026-03-30T00:15:00.000Z');
    expect(iso(next(at('2026-10-25T00:15:00Z')))).toBe('2026-10-26T01:15:00.000Z');
    expect(iso(latest(at('2026-10-25T23:00:00Z')))).toBe('2026-10-25T00:15:00.000Z');
  });
});
