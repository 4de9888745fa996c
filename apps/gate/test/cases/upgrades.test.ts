import { afterAll, beforeAll, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { raw, sendRaw } from '../support/raw-request.ts';
import { sessionCookie } from '../support/session.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// A connection that changes its protocol leaves the rules behind: only a WebSocket may.

let upstream: Upstream;
let gate: TestGate;

beforeAll(async () => {
  upstream = await startUpstream();
  gate = await startGate({
    upstream: upstream.origin,
    providers: [corp],
    rules: [
      { paths: ['/public'], allow: 'anyone' },
      { paths: ['/admin/**'], allow: { provider: 'corp', groups: ['admin'] } },
      { paths: ['/**'], allow: 'signed-in' },
    ],
  });
});

afterAll(async () => {
  for (const one of [gate, upstream]) await one?.[Symbol.asyncDispose]();
});

test.each(['h2c', 'websocket, h2c', 'h2c, websocket', 'TLS/1.2', 'foo'])(
  'an upgrade to %s is none: what is asked for is answered, and nothing that comes behind it is read',
  async protocol => {
    const cookie = await sessionCookie(gate);
    for (const [path, more] of [
      ['/public', []],
      ['/x', [`Cookie: ${cookie}`]],
    ] as const) {
      const lines = [`Upgrade: ${protocol}`, 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA', ...more];
      const before = upstream.seen.length;
      const { status } = await sendRaw(
        gate.origin,
        `${raw('GET', path, lines).replace('Connection: close', 'Connection: Upgrade, HTTP2-Settings')}${raw('GET', '/public')}`,
      );
      expect([status, upstream.seen.length]).toEqual([200, before + 1]);
      const { url, headers } = upstream.seen.at(-1) as (typeof upstream.seen)[number];
      expect([url, headers.upgrade, headers['http2-settings']]).toEqual([path, undefined, undefined]);
    }
  },
);
