import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { answerHalfClosed, answerOnHalfClose, giveUpOnHalfClose } from './half-closed.ts';

const hour = 3_600_000;
const get = (url: string, version = '1.1') => `GET ${url} HTTP/${version}\r\nhost: x\r\n\r\n`;

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function listen(answer: RequestListener, millis = hour): Promise<void> {
  server = createServer({ keepAliveTimeout: hour }, answer);
  answerHalfClosed(server, millis);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

/** Sends this, then ends its side, and hears everything until the connection is closed. */
function tell(bytes: string): { heard: Promise<string>; atServer: Promise<net.Socket> } {
  const atServer = once(server, 'connection').then(([socket]) => socket as net.Socket);
  const client = net.connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  client.end(bytes);
  const heard = new Promise<string>((resolve, reject) => {
    let text = '';
    client
      .on('data', part => (text += part))
      .once('close', () => resolve(text))
      .once('error', reject);
  });
  return { heard, atServer };
}

/** Resolves once the server knows that the client will say nothing more. */
async function halfClosed(atServer: Promise<net.Socket>): Promise<void> {
  const socket = await atServer;
  if (!socket.readableEnded) await once(socket, 'end');
  await nextTurn();
}

it.each(['1.0', '1.1'])(
  'who ends its side once it has asked is answered, and the connection is closed with it: HTTP/%s',
  async version => {
    const go = Promise.withResolvers<void>();
    await listen((_, response) => void go.promise.then(() => response.end('words')));
    const { heard, atServer } = tell(get('/', version));
    await halfClosed(atServer);
    go.resolve();
    const answer = await heard;
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain('words');
  },
);

it('so is who sent several requests ahead', async () => {
  await listen(({ url }, response) => void nextTurn().then(() => response.end(`answer to ${url}.`)));
  expect(await tell(get('/1') + get('/2') + get('/3')).heard).toMatch(/answer to \/1\..*answer to \/2\..*answer to \/3\./s);
});

it('an answer that has begun is sent to its end, however long it takes', async () => {
  const go = Promise.withResolvers<void>();
  await listen((_, response) => {
    response.write('begun, ');
    void go.promise.then(() => response.end('ended'));
  }, 1);
  const { heard, atServer } = tell(get('/'));
  await halfClosed(atServer);
  // A timer set later than theirs, and as short: theirs is over.
  await new Promise(resolve => setTimeout(resolve, 1));
  await nextTurn();
  go.resolve();
  expect(await heard).toMatch(/begun, .*ended/s);
});

it('an answer that has not begun soon is given up', async () => {
  let ended: Promise<unknown> | undefined;
  await listen((_, response) => {
    ended = once(response, 'close');
  }, 1);
  expect(await tell(get('/')).heard).toBe('');
  await ended;
});

it('a request that waits for its turn is given up at once, and not once it waits no more', async () => {
  const go = Promise.withResolvers<void>();
  const closed: string[] = [];
  await listen((request, response) => {
    giveUpOnHalfClose(request);
    response.once('close', () => closed.push(request.url!));
    if (request.url === '/waits') return;
    answerOnHalfClose(request);
    void go.promise.then(() => response.end('its turn'));
  });
  expect(await tell(get('/waits')).heard).toBe('');
  await expect.poll(() => closed).toEqual(['/waits']);
  const { heard, atServer } = tell(get('/goes'));
  await halfClosed(atServer);
  go.resolve();
  expect(await heard).toContain('its turn');
});

it('a connection on which nothing is asked, or half a request, is closed without a word', async () => {
  await listen(() => {});
  server.on('clientError', (_, socket) => socket.destroy());
  expect(await tell('').heard).toBe('');
  expect(await tell('GET / HTTP/1.1\r\nhos').heard).toBe('');
});

it('after its answer, a connection that ends is closed', async () => {
  await listen((_, response) => response.end('words'));
  const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write(get('/'));
  await once(client, 'data');
  client.end();
  await once(client, 'close');
  await expect.poll(() => new Promise(resolve => server.getConnections((_, count) => resolve(count)))).toBe(0);
});
