import { expect, it } from 'vitest';
import { createPulseMemory, Pulse, readPulse } from './pulse.ts';

it('a route beyond the last place is counted there, and writes nowhere else', () => {
  const memory = createPulseMemory();
  const announced = new Map<number, string>();
  const pulse = new Pulse(memory, (route, name) => announced.set(route, name));
  const names = Array.from({ length: 258 }, (_, at) => `GET /${at}`);
  for (const name of names) pulse.begin(name);
  const { lastRoute, underWay } = readPulse(memory);
  expect([lastRoute, underWay.size, underWay.get(254), underWay.get(255)]).toEqual([255, 256, 1, 3]);
  expect([announced.size, announced.get(0), announced.get(255)]).toEqual([256, 'GET /0', 'GET /257']);
  for (const name of names) pulse.end(name);
  expect(readPulse(memory).underWay).toEqual(new Map());
});

it('names the page whose text is being worked on, and none once that is done', () => {
  const memory = createPulseMemory();
  const pulse = new Pulse(memory, () => {});
  expect(readPulse(memory)).toEqual({ beats: 0, lastRoute: undefined, underWay: new Map(), text: undefined });
  pulse.text({ id: 'abcdefghijkl', revision: 7 });
  expect(readPulse(memory).text).toEqual({ id: 'abcdefghijkl', revision: 7 });
  pulse.text({ id: 'short', revision: 2 });
  expect(readPulse(memory).text).toEqual({ id: 'short', revision: 2 });
  pulse.text(undefined);
  expect(readPulse(memory).text).toBeUndefined();
});

it('an id of too many characters is cut, and reaches no count of a route', () => {
  const memory = createPulseMemory();
  new Pulse(memory, () => {}).text({ id: 'x'.repeat(100), revision: 1 });
  expect(readPulse(memory)).toMatchObject({ text: { id: 'x'.repeat(64) }, underWay: new Map() });
});

it('names no page while its id is being written', () => {
  const memory = createPulseMemory();
  const pulse = new Pulse(memory, () => {});
  pulse.text({ id: 'before', revision: 1 });
  const read: unknown[] = [];
  pulse.text({
    get id() {
      read.push(readPulse(memory).text);
      return 'after';
    },
    revision: 2,
  });
  expect(read.length).toBeGreaterThan(1);
  expect(new Set(read)).toEqual(new Set([undefined]));
  expect(readPulse(memory).text).toEqual({ id: 'after', revision: 2 });
});
