import { expect, test } from 'vitest';
import { OpenStreams } from './open-streams.ts';

const stream = () => {
  const one = { isCut: false, destroy: () => (one.isCut = true) };
  return one;
};

test('streams end with their session, and whoever is taken out is left alone', () => {
  const streams = new OpenStreams();
  const [a, b, c, d] = [stream(), stream(), stream(), stream()];
  streams.add('one', a);
  const second = streams.add('one', b);
  streams.add('two', c);
  expect([streams.count, streams.sessions]).toEqual([3, ['one', 'two']]);
  streams.remove(second);
  streams.add('three', d);
  // Its place is another's now.
  streams.remove(second);
  expect([streams.count, streams.sessions]).toEqual([3, ['one', 'three', 'two']]);
  streams.end(session => session !== 'two');
  expect([a, b, c, d].map(one => one.isCut)).toEqual([true, false, false, true]);
});
