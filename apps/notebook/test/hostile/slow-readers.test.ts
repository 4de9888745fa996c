import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.ts';
import { type CreatedNotebook, type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';
import { ask } from './ask.ts';

let app: NotebookApp;
let port: number;
let large: CreatedNotebook;
let other: CreatedNotebook;
const open: Socket[] = [];
const timers: NodeJS.Timeout[] = [];

beforeAll(async () => {
  app = await startNotebookApp({ env: { RATE_LIMITS: 'on' } });
  port = Number(new URL(await app.listen()).port);
  // More than the system takes for a connection, and nothing to render: two characters of JSON for each line.
  large = await app.create({ pages: Array.from({ length: 5 }, () => ({ markdown: `first${'\n'.repeat(800_000)}last` })) });
  // Large enough to need a place, and rendered before anybody waits for one.
  other = await app.create({ pages: Array.from({ length: 6 }, () => ({ markdown: 'words '.repeat(16_000) })) });
  for (const path of pathsOf(other)) expect((await ask(port, { path, from: '127.0.0.1' })).status).toBe(200);
});
afterEach(() => {
  for (const timer of timers.splice(0)) clearInterval(timer);
  for (const socket of open.splice(0)) socket.destroy();
});
afterAll(() => app.close());

const pathsOf = ({ slug }: CreatedNotebook) => [`/api/notebooks/${slug}`, `/n/${slug}.md`, `/n/${slug}/print`, `/n/${slug}.epub`];

/** Takes so little, so often, that nobody could call it silent. */
function askSlowly(localAddress: string, path: string): void {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  socket.pause().write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  timers.push(setInterval(() => socket.read(16_384), 250));
  open.push(socket);
}

// Linux alone lets a client choose among all addresses of the loopback.
describe.skipIf(process.platform !== 'linux')('readers of long answers that take them a little at a time', () => {
  it.each([4, 8, 16, 32])('from %i addresses keep nobody else from reading', async addresses => {
    const each = limits.maxLargeReadsAtOnce / addresses + 4;
    for (let count = 0; count < addresses * each; count++)
      askSlowly(`127.0.1.${1 + (count % addresses)}`, `/api/notebooks/${large.slug}`);
    const held = () => open.filter(({ bytesRead }) => bytesRead > 0).length;
    await expect.poll(held).toBe(limits.maxLargeReadsAtOnce);
    const answers = await Promise.all(pathsOf(other).map((path, at) => ask(port, { path, from: `127.0.2.${1 + at}` })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    // They did not wait until all the others were gone: each of them needs one place.
    expect(open.filter(({ closed }) => closed).length).toBeLessThan(limits.maxLargeReadsAtOnce / 2);
  });
});
