import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../src/limits.ts';
import { corp, startGate, type TestGate } from '../support/gate.ts';

// Forms that are begun and not finished, from an address that anybody may have.

let gate: TestGate;
const sockets: Socket[] = [];

beforeAll(async () => {
  gate = await startGate({ upstream: 'http://127.0.0.1:9', providers: [corp] });
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await gate?.[Symbol.asyncDispose]();
});

const form = Buffer.alloc(limits.maxFormBytes - 1, 'a');

/** Withholds the last byte. @returns the status of its answer, should it get one */
function begin(onStatus: (status: string) => void): Promise<void> {
  const { hostname, port } = new URL(gate.origin);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => {});
  socket.on('data', chunk => onStatus(chunk.toString('latin1').split(' ')[1] ?? ''));
  const head = `POST /gate/corp/callback HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 192.0.2.1\r\nContent-Length: ${limits.maxFormBytes}\r\n\r\n`;
  return new Promise(resolve => socket.write(Buffer.concat([Buffer.from(head), form]), () => resolve()));
}

test('fill no more than their share of the memory, and others send theirs', async () => {
  const fit = Math.floor(limits.maxBodiesInFlightBytes / limits.maxFormBytes);
  const answered: string[] = [];
  await Promise.all(Array.from({ length: fit + 20 }, () => begin(status => answered.push(status))));
  await expect.poll(() => answered.length).toBeGreaterThanOrEqual(20);
  expect(new Set(answered)).toEqual(new Set(['503']));
  // A sign-in that isn't under way.
  const other = await gate.fetch('/gate/corp/callback', { method: 'POST', body: new URLSearchParams({ state: 'x' }) });
  expect(other.status).toBeLessThan(500);
});
