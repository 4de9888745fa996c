import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countConnections, openOtherSockets } from '../../listening/listening-sockets.ts';
import { closeConnectionsWithServer } from './close-connections.ts';
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

it('waits for the connections of every socket, and takes none at any', async () => {
  server = http.createServer();
  const own = await openOtherSockets(server, { host: '127.0.0.1', port: 0 });
  await new Promise<void>(resolve => server.listen(own, resolve));
  const { port } = server.address() as AddressInfo;
  const clients = Array.from({ length: 64 }, () => net.connect(port, '127.0.0.1'));
  await expect.poll(() => countConnections(server)).toBe(64);
  let over = false;
  const drained = drainConnections(server, 60_000).then(() => {
    over = true;
  });
  await expect(ask(port, new http.Agent())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  for (const client of clients.slice(1)) client.end();
  await expect.poll(() => countConnections(server)).toBe(1);
  expect(over).toBe(false);
  clients[0]!.end();
  await drained;
});

describe('an answer that is under way', () => {
  let answers: http.ServerResponse[];
  let socket: net.Socket;
  let text: string;
  beforeEach(async () => {
    [answers, text] = [[], ''];
    server = http.createServer((_, response) => answers.push(response));
    closeConnectionsWithServer(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('data', part => (text += part));
  });
  afterEach(() => socket.destroy());
  const get = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

  it('closes its connection, and says so', async () => {
    socket.write(get);
    await expect.poll(() => answers.length).toBe(1);
    const drained = drainConnections(server, 60_000);
    answers[0]!.end('here');
    await Promise.all([drained, once(socket, 'close')]);
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close\r\n[\s\S]*here/);
    expect(text).not.toContain('keep-alive');
  });

  it('closes none on which a request follows that was read before', async () => {
    socket.write(get + get);
    await expect.poll(() => answers.length).toBe(2);
    const drained = drainConnections(server, 60_000);
    for (const answer of answers) answer.end('here');
    await expect.poll(() => text.match(/here/g)?.length).toBe(2);
    // The next one closes it.
    socket.write(get);
    await expect.poll(() => answers.length).toBe(3);
    answers[2]!.end('last');
    await Promise.all([drained, once(socket, 'close')]);
    expect(text).toMatch(/Connection: close\r\n[\s\S]*last/);
  });
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
