import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { serve, type TestServer } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { echoWebSocket } from '../support/upstream.ts';

// An application that can serve four requests at once.

let upstream: TestServer;
let gate: TestGate;
let served = 0;
/** The application's ends of WebSockets that it leaves open. */
const atApplication: Socket[] = [];

beforeAll(async () => {
  upstream = await serve((request, response) => {
    if (request.url === '/short') return void response.end('short');
    served += 1;
    response.on('close', () => {
      served -= 1;
    });
    if (request.url === '/silent') return;
    response.writeHead(200).write('the beginning of an answer');
  });
  upstream.server.on('upgrade', (request, socket: Socket) => {
    served += 1;
    socket.once('close', () => {
      served -= 1;
    });
    echoWebSocket(socket);
    if (request.url !== '/ws?open') return;
    atApplication.push(socket);
    socket.unpipe(socket);
    socket.on('data', chunk => socket.write(chunk)).resume();
  });
  gate = await startGate({ upstream: upstream.origin, providers: [corp], upstreamRequests: 4 });
});

afterAll(async () => {
  for (const one of [gate, upstream]) await one?.[Symbol.asyncDispose]();
});

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const webSocket = ['Connection: Upgrade', 'Upgrade: websocket'];

test('a visitor who holds all that the application serves loses the oldest to others, and gets no more', async () => {
  const { hostname, port } = new URL(gate.origin);
  const closed: number[] = [];
  const held = [webSocket, [], [], webSocket].map((lines, at) => {
    const socket = connect(Number(port), hostname)
      .on('error', () => {})
      .resume();
    socket.once('close', () => closed.push(at));
    return { socket, text: ['GET /held HTTP/1.1', 'Host: x', 'X-Forwarded-For: 203.0.113.1', ...lines, '', ''].join('\r\n') };
  });
  try {
    for (const [at, { socket, text }] of held.entries()) {
      socket.write(text);
      await expect.poll(() => served).toBe(at + 1);
    }
    const refused = await gate.fetch('/short', from('203.0.113.1'));
    expect([refused.status, refused.headers.get('retry-after'), (await refused.json()).error]).toEqual([
      503,
      '5',
      'APPLICATION_BUSY',
    ]);
    expect(closed).toEqual([]);
    expect((await gate.fetch('/short', from('203.0.113.2'))).status).toBe(200);
    await expect.poll(() => closed).toEqual([0]);
    // An answer that has ended leaves its place.
    for (let again = 0; again < 8; again++) expect((await gate.fetch('/short', from('203.0.113.2'))).status).toBe(200);
    expect(closed).toEqual([0]);
    // The same network, but a person who is signed in.
    held.push({
      socket: connect(Number(port), hostname)
        .on('error', () => {})
        .resume(),
      text: '',
    });
    held[4]?.socket.write('GET /held HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.3\r\n\r\n');
    await expect.poll(() => served).toBe(4);
    const signedIn = { 'x-forwarded-for': '203.0.113.1', cookie: await sessionCookie(gate) };
    expect((await gate.fetch('/short', { headers: signedIn })).status).toBe(200);
    await expect.poll(() => closed).toEqual([0, 1]);
  } finally {
    for (const { socket } of held) socket.destroy();
  }
  await expect.poll(() => served).toBe(0);
});

test.each([
  ['an upload that goes on', 'POST', ['Content-Length: 1000'], 'The application may have done what this one asked for'],
  ['a request that is not answered yet', 'GET', [], 'so this one was ended'],
])('%s is answered when it loses its place', async (_name, method, lines, words) => {
  const { hostname, port } = new URL(gate.origin);
  const texts = ['', '', '', ''];
  const sockets = texts.map((_, at) =>
    connect(Number(port), hostname)
      .on('error', () => {})
      .on('data', chunk => {
        texts[at] = `${texts[at]}${chunk}`;
      }),
  );
  const head = [`${method} /silent HTTP/1.1`, 'Host: x', 'X-Forwarded-For: 203.0.113.1', ...lines, '', ''].join('\r\n');
  try {
    for (const [at, socket] of sockets.entries()) {
      socket.write(method === 'POST' ? `${head}x` : head);
      await expect.poll(() => served).toBe(at + 1);
    }
    const slow = setInterval(() => {
      if (method === 'POST') for (const socket of sockets) socket.write('x');
    }, 50);
    try {
      expect((await gate.fetch('/short', from('203.0.113.2'))).status).toBe(200);
      await expect.poll(() => texts[0]).toContain(words);
    } finally {
      clearInterval(slow);
    }
    expect(texts[0]).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 5\r\n[\s\S]*APPLICATION_BUSY/i);
    expect(texts.slice(1)).toEqual(['', '', '']);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  await expect.poll(() => served).toBe(0);
});

test('WebSockets whose clients ended their side leave their places, though the application never ends its own', async () => {
  const { hostname, port } = new URL(gate.origin);
  let text = '';
  let closed = 0;
  const sockets = Array.from({ length: 4 }, () =>
    connect({ port: Number(port), host: hostname, allowHalfOpen: true })
      .on('error', () => {})
      .on('data', chunk => {
        text += chunk;
      })
      .once('close', () => {
        closed += 1;
      })
      .on('end', function (this: Socket) {
        this.end();
      }),
  );
  const head = ['GET /ws?open HTTP/1.1', 'Host: x', 'X-Forwarded-For: 203.0.113.1', ...webSocket, '', ''].join('\r\n');
  try {
    for (const socket of sockets) socket.write(head);
    await expect.poll(() => served).toBe(4);
    expect((await gate.fetch('/short', from('203.0.113.1'))).status).toBe(503);
    for (const socket of sockets) socket.end('said last');
    await expect.poll(() => text.split('said last').length).toBe(5);
    await expect.poll(() => closed, { timeout: 8_000 }).toBe(4);
    expect((await gate.fetch('/short', from('203.0.113.1'))).status).toBe(200);
  } finally {
    for (const socket of [...sockets, ...atApplication]) socket.destroy();
  }
  await expect.poll(() => served).toBe(0);
});
