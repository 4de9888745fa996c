import { expect, test } from 'vitest';
import { OpenStreams } from './open-streams.ts';

const stream = () => {
  const one = { isCut: false, destroy: () => (one.isCut = true) };
  return one;
};

const of = (id: string) => ({ id, identity: { provider: 'corp', issuer: 'https://op.example' } });

test('streams end with their session, and whoever is taken out is left alone', () => {
  const streams = new OpenStreams();
  const [a, b, c, d] = [stream(), stream(), stream(), stream()];
  streams.add(of('one'), a);
  const second = streams.add(of('one'), b);
  streams.add(of('two'), c);
  expect([streams.count, streams.sessions]).toEqual([3, ['one', 'two']]);
  streams.remove(second);
  streams.add(of('three'), d);
  // Its place is another's now.
  streams.remove(second);
  expect([streams.count, streams.sessions]).toEqual([3, ['one', 'three', 'two']]);
  streams.end(({ id }) => id !== 'two');
  expect([a, b, c, d].map(one => one.isCut)).toEqual([true, false, false, true]);
});
