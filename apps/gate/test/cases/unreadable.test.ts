import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGate, type TestGate } from '../support/gate.ts';
import { raw } from '../support/raw-request.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// What Node cannot read as a request.

let upstream: Upstream;
let gate: TestGate;

beforeAll(async () => {
  upstream = await startUpstream();
  gate = await startGate({ upstream: upstream.origin });
});

afterAll(async () => {
  for (const one of [gate, upstream]) await one?.[Symbol.asyncDispose]();
});

/** @param then is sent when the first octets have come @returns what comes until the gate closes the connection */
function talk(text: string, then?: string): Promise<string> {
  const { hostname, port } = new URL(gate.origin);
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname, () => socket.write(text, 'latin1'));
    let came = '';
    socket.on('data', chunk => {
      if (came === '' && then !== undefined) socket.write(then);
      came += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(came));
  });
}

const nothing = 'nothing of the kind\r\n\r\n';

test.each([
  [nothing, 400],
  [raw('GET', '/', [`X-Large: ${'x'.repeat(40_000)}`]), 431],
])('is refused once', async (text, status) => {
  expect((await talk(text)).match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
});

test('behind a request whose answer is under way, it ends that answer and is no part of it', async () => {
  const came = await talk(raw('GET', '/events').replace('Connection: close', 'Connection: keep-alive'), nothing);
  expect(came).toMatch(/^HTTP\/1\.1 200 /);
  expect(came).not.toContain('HTTP/1.1 400');
});
