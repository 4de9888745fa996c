import { expect, it } from 'vitest';
import { createClockWatch } from './clock-watch.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** A clock watch with a clock, the time passed, the database's stored times and its own clock. */
function watched({ database = undefined as number | undefined, kept = {} as Record<string, number> } = {}) {
  const world = { now: 100 * day, passed: 0, database, times: new Map(Object.entries(kept)) };
  const watch = createClockWatch({
    store: {
      findTimes: async () => new Map(world.times),
      keepTime: async (name, time) => {
        if (time === null) world.times.delete(name);
        else world.times.set(name, time);
      },
      databaseTime: async () => world.database,
    },
    now: () => world.now,
    passed: () => world.passed,
  });
  const after = async (passed: number, now = passed) => {
    world.passed += passed;
    world.now += now;
    const reading = await watch.check();
    return reading.kind === 'leapt' ? reading.why : reading.kind;
  };
  return { world, watch, after };
}

it('keeps what it saw, and believes a clock that goes as time passes', async () => {
  const { world, after } = watched();
  expect(await after(0)).toBe('steady');
  expect(world.times).toEqual(new Map([['clock-believed', 100 * day]]));
  expect(await after(hour)).toBe('steady');
  expect(world.times.get('clock-believed')).toBe(100 * day + hour);
});

it.each([
  ['a day of sleep', 0, day, 'steady'],
  ['a moment more', 0, day + 1, 'the clock leapt ahead by 24 hours'],
  ['less than two days', 0, 2 * day - 1, 'the clock leapt ahead by 48 hours'],
  ['two days', 0, 2 * day, 'the clock leapt ahead by 2 days'],
  ['40 days', minute, 40 * day + minute, 'the clock leapt ahead by 40 days'],
])('while it runs: %s', async (_, passed, now, answer) => {
  const { after } = watched();
  await after(0);
  expect(await after(passed, now)).toBe(answer);
});

it.each([
  ['a week', 93 * day, 'steady'],
  ['a moment more', 93 * day - 1, 'the clock is 7 days ahead of when the service last ran'],
])('over a restart: %s', async (_, believed, answer) => {
  expect(await watched({ kept: { 'clock-believed': believed } }).after(0)).toBe(answer);
});

it('a command doubts what the service doubts', async () => {
  const kept = { 'clock-believed': 98 * day, 'clock-leapt-since': 100 * day - hour };
  expect(await watched({ kept }).after(0)).toBe('the clock is 2 days ahead of when the service last ran');
});

it('is believed again when it has stood by its word for a day', async () => {
  const { world, after } = watched();
  await after(0);
  await after(0, 10 * day);
  expect(world.times.get('clock-leapt-since')).toBe(110 * day);
  expect(await after(day - 1)).toBe('the clock leapt ahead by 10 days');
  expect(await after(1)).toBe('steady');
  expect(world.times).toEqual(new Map([['clock-believed', 111 * day]]));
});

it('counts that day anew where the clock went back behind its beginning', async () => {
  const { world, after } = watched({ kept: { 'clock-believed': 80 * day, 'clock-leapt-since': 200 * day } });
  expect(await after(0)).toBe('the clock is 20 days ahead of when the service last ran');
  expect(world.times.get('clock-leapt-since')).toBe(100 * day);
});

it('a clock that is right again is not doubted any more', async () => {
  const { world, after } = watched();
  await after(0);
  await after(0, 10 * day);
  expect(await after(0, -10 * day)).toBe('steady');
  expect(world.times).toEqual(new Map([['clock-believed', 100 * day]]));
});

it('a clock that is behind is taken for the right one after an hour', async () => {
  const { world, after } = watched({ kept: { 'clock-believed': 100 * day, 'clock-leapt-since': 99 * day } });
  expect(await after(0, -hour)).toBe('steady');
  expect(world.times.get('clock-believed')).toBe(100 * day);
  expect(await after(hour - 1, 0)).toBe('steady');
  expect(world.times.get('clock-believed')).toBe(100 * day);
  expect(await after(1, 0)).toBe('steady');
  expect(world.times).toEqual(new Map([['clock-believed', 100 * day - hour]]));
});

it.each([
  ['an hour', hour, 'steady'],
  ['more', 3 * hour, "this machine's clock is 3 hours ahead of the database's"],
])('ahead of the database: %s', async (_, ahead, answer) => {
  const { after } = watched({ database: 100 * day - ahead, kept: { 'clock-believed': 100 * day - ahead } });
  expect(await after(0)).toBe(answer);
});

it('is believed where the operator says so', async () => {
  const { world, watch, after } = watched();
  await after(0);
  await after(0, 10 * day);
  await watch.trust();
  expect(world.times).toEqual(new Map([['clock-believed', 110 * day]]));
  expect(await after(0)).toBe('steady');
});
