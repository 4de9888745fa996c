import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GateProcess, startGateProcess } from '../support/gate-process.ts';
import { raw } from '../support/raw-request.ts';
import { freePort } from '../support/servers.ts';

// An error of a socket to which nobody listens ends the process, so only the built program shows it.

const folder = mkdtempSync(join(tmpdir(), 'octavo-gate-resets-'));
let gate: GateProcess;

beforeAll(async () => {
  const [port, closed] = [await freePort(), await freePort()];
  gate = await startGateProcess(folder, port, {
    publicUrl: `http://127.0.0.1:${port}`,
    upstream: `http://127.0.0.1:${closed}`,
    providers: [],
    rules: [{ paths: ['/**'], allow: 'anyone' }],
  });
}, 60_000);

afterAll(async () => {
  await gate?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const socketLines = ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='];
const upgradeTo = (path: string) => raw('GET', path, socketLines).replace('Connection: close', 'Connection: Upgrade');

/** Sends this and resets the connection at once, as a program that crashes does. */
function sendAndReset(text: string): Promise<void> {
  const { hostname, port } = new URL(gate.origin);
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(text);
      socket.resetAndDestroy();
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve());
  });
}

test.each([
  ['a CONNECT', raw('CONNECT', 'elsewhere.example:443')],
  ['a WebSocket at a path of the gate', upgradeTo('/gate/me')],
  ['a WebSocket that the application cannot open', upgradeTo('/socket')],
  ['what is no request', 'nothing of the kind\r\n\r\n'],
])('%s whose client resets the connection ends that connection, not the gate', async (_name, text) => {
  for (let times = 0; times < 20; times += 1) await sendAndReset(text);
  expect((await fetch(`${gate.origin}/gate/healthz`)).status).toBe(200);
});
