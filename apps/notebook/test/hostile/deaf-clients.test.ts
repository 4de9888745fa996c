import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Pressure } from '../../src/http/load/pressure.ts';
import { limits } from '../../src/limits.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { ask } from './ask.ts';

const pressure = new Pressure();
let app: NotebookApp;
let port: number;
let small: CreatedNotebook;
let large: CreatedNotebook;
let asked = 0;
const open: Socket[] = [];

beforeAll(async () => {
  app = await startNotebookApp({ env: { RATE_LIMITS: 'on' }, overrides: { pressure } });
  app.server.server.on('request', () => (asked += 1));
  port = Number(new URL(await app.listen()).port);
  small = await app.create({ pages: [{ markdown: 'words '.repeat(80_000) }] });
  large = await app.create({ pages: Array.from({ length: 7 }, () => ({ markdown: 'words '.repeat(170_000) })) });
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});
afterAll(() => app.close());

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

/** Asks from an address of the loopback, and never reads what is answered. */
function askDeaf(localAddress: string, text: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  socket.pause().write(text);
  open.push(socket);
  return socket;
}

// Linux alone lets a client choose among all addresses of the loopback.
describe.skipIf(process.platform !== 'linux')('clients that do not read what they are answered', () => {
  it('and send a thousand requests ahead make nobody else wait or be refused, now or later', async () => {
    for (let count = 0; count < 2; count++) askDeaf('127.0.0.9', get(`/api/notebooks/${small.slug}`).repeat(700));
    await expect.poll(() => asked).toBeGreaterThan(0);
    await expect.poll(() => pressure.requests).toBe(0);
    for (const socket of open.splice(0)) socket.destroy();
    await expect.poll(() => pressure.requests).toBe(0);
    const made = await ask(port, { method: 'POST', path: '/api/notebooks', from: '127.0.0.1', body: '{}' });
    expect(made.status).toBe(201);
  });

  it('and hold every place for large reads that one address may have leave places to others', async () => {
    for (let count = 0; count < limits.maxLargeReadsAtOnce + 8; count++)
      askDeaf('127.0.0.9', get(`/api/notebooks/${large.slug}`));
    const bytes = async (from: string) => (await ask(port, { path: `/api/notebooks/${large.slug}`, from })).body.length;
    expect(await bytes('127.0.0.1')).toBeGreaterThan(7_000_000);
    expect(await bytes('127.0.0.2')).toBeGreaterThan(7_000_000);
  });

  it('are answered nothing more when 32 MiB wait for them, and others are', async () => {
    const { slug, pages } = await app.create({ pages: [{ markdown: '\u0001'.repeat(1_000_000) }] });
    const path = `/api/notebooks/${slug}/pages/${pages[0]!.id}`;
    // Six times as long in JSON, which is made as it is read: the text alone is held.
    for (let count = 0; count < 36; count++) askDeaf('127.0.0.9', get(path));
    await expect.poll(async () => (await ask(port, { path: '/', from: '127.0.0.9' })).status).toBe(429);
    expect((await ask(port, { path, from: '127.0.0.1' })).status).toBe(200);
    for (const socket of open.splice(0)) socket.destroy();
    await expect.poll(async () => (await ask(port, { path: '/', from: '127.0.0.9' })).status).toBe(200);
  });

  it('are disconnected after a while', () => {
    expect(app.server.server.timeout).toBe(limits.readStallSeconds * 1_000);
  });
});
