import { expect, test } from 'vitest';
import type { ErrorCode } from '../errors.ts';
import type { Identity } from '../model/identity.ts';
import { OpenStreams } from './open-streams.ts';

const stream = () => {
  const one: { why: ErrorCode | undefined; end(why: ErrorCode): void } = {
    why: undefined,
    end(why) {
      one.why = why;
    },
  };
  return one;
};

const facts = { method: 'GET', path: '/socket', target: '/socket' };
const identity = { provider: 'corp', issuer: 'https://op.example', groups: ['staff'] } as unknown as Identity;
const of = (id: string, version = 1) => ({ id, key: `key of ${id}`, version, refreshAt: undefined, identity });
const ids = (streams: OpenStreams) => streams.sessions.map(one => one.id);

test('streams end with their session, and one that is taken out is left alone', () => {
  const streams = new OpenStreams();
  const [a, b, c, d] = [stream(), stream(), stream(), stream()];
  streams.add(of('one'), facts, a);
  const second = streams.add(of('one'), facts, b);
  streams.add(of('two'), facts, c);
  expect([streams.count, ids(streams)]).toEqual([3, ['one', 'two']]);
  streams.remove(second);
  streams.add(of('three'), facts, d);
  // Another stream has its place now.
  streams.remove(second);
  expect([streams.count, ids(streams)]).toEqual([3, ['one', 'three', 'two']]);
  streams.end(({ id }) => id !== 'two');
  const over = 'SIGN_IN_REQUIRED';
  expect([a, b, c, d].map(one => one.why)).toEqual([over, undefined, undefined, over]);
  streams.end(() => true, 'FORBIDDEN');
  expect([a, b, c, d].map(one => one.why)).toEqual(['FORBIDDEN', undefined, 'FORBIDDEN', 'FORBIDDEN']);
});

test('of a session that changed the oldest version counts, until all of its streams know the new one', () => {
  const streams = new OpenStreams();
  const [a, b] = [stream(), stream()];
  streams.add(of('one', 2), facts, a);
  streams.add(of('one', 1), { ...facts, path: '/other' }, b);
  streams.add(of('one', 3), facts, stream());
  expect(streams.sessions.map(one => one.version)).toEqual([1]);
  streams.change({ ...of('one', 3), identity: { ...identity, groups: [] } });
  expect(streams.sessions.map(one => one.version)).toEqual([3]);
  streams.end((owner, { path }) => owner.identity.groups.length === 0 && path === '/other');
  expect([a.why, b.why]).toEqual([undefined, 'SIGN_IN_REQUIRED']);
});

test('what an access token opened ends with the token', () => {
  const streams = new OpenStreams();
  const one = stream();
  streams.add({ identity }, facts, one);
  streams.end(() => true);
  expect(one.why).toBe('TOKEN_REFUSED');
});
