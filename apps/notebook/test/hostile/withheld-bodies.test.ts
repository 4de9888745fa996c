import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { limits } from '../../src/limits.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
let port: number;
const open: Socket[] = [];

beforeAll(async () => {
  // The rest of a refused body is read for ten seconds before the answer; here for one.
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(millis => timeout(millis / 10));
  app = await startNotebookApp({ env: { RATE_LIMITS: 'on' } });
  port = Number(new URL(await app.listen()).port);
});
afterAll(async () => {
  vi.restoreAllMocks();
  for (const socket of open) socket.destroy();
  await app.close();
});

/** Promises a body of 8 MiB from an address of the loopback and keeps its last byte back; answers what it is told. */
async function withhold(localAddress: string): Promise<{ socket: Socket; told: Promise<string> }> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  open.push(socket);
  socket.on('error', () => {});
  let text = '';
  const told = new Promise<string>(resolve => {
    socket.on('data', chunk => {
      text += chunk;
    });
    socket.once('close', () => resolve(text));
  });
  await once(socket, 'connect');
  socket.write(
    `POST /api/quick HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/markdown\r\ncontent-length: ${limits.maxBodyBytes}\r\n\r\n`,
  );
  const body = Buffer.alloc(limits.maxBodyBytes - 1, 'a');
  await new Promise<void>(resolve => socket.write(body, () => resolve()));
  return { socket, told };
}

/** A page of 500 kB, as anybody sends one. */
async function send(localAddress: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  open.push(socket);
  const body = 'word '.repeat(100_000);
  socket.write(
    `POST /api/quick HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: text/markdown\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text.split('\r\n')[0]!;
}

// Linux alone lets a client choose among all addresses of the loopback.
describe.skipIf(process.platform !== 'linux')('bodies that are promised and kept back', () => {
  it('are refused to one address past its share, and to nobody else', async () => {
    const [first, ...more] = await Promise.all(Array.from({ length: 6 }, () => withhold('127.0.0.9')));
    // Four of 8 MiB fit; what is past them is told to wait, and its connection ends.
    const refused: string[] = [];
    for (const { told } of [first!, ...more]) void told.then(answer => refused.push(answer));
    await expect.poll(() => refused.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(2);
    for (const answer of refused) expect(answer).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 2/i);
    expect(await send('127.0.0.1')).toBe('HTTP/1.1 201 Created');
    for (const socket of open.splice(0)) socket.destroy();
  }, 40_000);

  it('of many addresses cost the largest of them their place, and let others through', async () => {
    const withheld = await Promise.all(Array.from({ length: 12 }, (_, index) => withhold(`127.0.1.${index + 1}`)));
    expect(await send('127.0.0.1')).toBe('HTTP/1.1 201 Created');
    const answer = await Promise.race(withheld.map(({ told }) => told));
    expect(answer).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 2/i);
    expect(answer).toContain('"code":"unavailable"');
  }, 40_000);

  it('keep nobody out when they are small and many', async () => {
    const each = limits.maxInFlightBytesPerClient / 65_536;
    const head = 'POST /api/quick HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/markdown\r\ncontent-length: 65536\r\n\r\n';
    for (const localAddress of ['127.0.2.1', '127.0.2.2']) {
      for (let count = 0; count < each; count++) {
        const socket = connect({ port, host: '127.0.0.1', localAddress });
        open.push(socket);
        socket.on('error', () => {});
        socket.write(head);
      }
    }
    // Each is read by the time a later request is answered.
    await Promise.all(open.map(socket => socket.connecting && once(socket, 'connect')));
    for (let turn = 0; turn < 3; turn++) expect(await send('127.0.0.1')).toBe('HTTP/1.1 201 Created');
    for (const socket of open.splice(0)) socket.destroy();
  }, 40_000);
});
