import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { drainConnections } from './drain-connections.ts';

let server: http.Server;
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
afterEach(() => {
  agent.destroy();
  server.closeAllConnections();
});

async function listen(): Promise<number> {
  server = http.createServer((_, response) => response.end('here'));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const ask = (port: number, over: http.Agent = agent) =>
  new Promise<http.IncomingMessage>((resolve, reject) => {
    http
      .get({ port, host: '127.0.0.1', agent: over }, answer => answer.resume().once('end', () => resolve(answer)))
      .once('error', reject);
  });

it('answers on an open connection once more, closes it, and takes no other', async () => {
  const port = await listen();
  expect((await ask(port)).headers.connection).toBe('keep-alive');
  let over = false;
  const drained = drainConnections(server, 60_000).then(() => {
    over = true;
  });
  await expect(ask(port, new http.Agent())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(over).toBe(false);
  expect((await ask(port)).headers.connection).toBe('close');
  await drained;
});

it('does not wait longer than it is told to', async () => {
  const port = await listen();
  await ask(port);
  await drainConnections(server, 1);
  expect((await ask(port)).headers.connection).toBe('close');
});

it('closes connections of requests that wait for a 100, too', async () => {
  const port = await listen();
  server.on('checkContinue', (_, response: http.ServerResponse) => {
    response.writeContinue();
    response.end('here');
  });
  const wait = () =>
    new Promise<http.IncomingMessage>((resolve, reject) => {
      const headers = { expect: '100-continue' };
      const request = http.request({ port, host: '127.0.0.1', agent, headers }, answer => {
        answer.resume().once('end', () => resolve(answer));
      });
      request.once('error', reject).end();
    });
  expect((await wait()).headers.connection).toBe('keep-alive');
  const drained = drainConnections(server, 60_000);
  expect((await wait()).headers.connection).toBe('close');
  await drained;
});
