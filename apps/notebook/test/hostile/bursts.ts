import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { ask, hold } from './ask.ts';
import {
  type Attack,
  beside,
  create,
  fillWithComments,
  flood,
  get,
  type Hostile,
  mebibyte,
  rest,
  times,
} from './hostile-client.ts';

/** Attacks that come at one moment on many connections, or in one body. */
export const bursts: readonly Attack[] = [
  {
    name: 'a thousand lists of five hundred comments at once',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const made = await create(hostile, {});
      if (!made) return;
      await fillWithComments(hostile, made, '\u0434'.repeat(2_000));
      await flood(hostile, 1, async () => {
        for (let index = 0; index < 1_000; index += 1) hold(port, from, get(`/api/notebooks/${made.slug}/comments`), signal);
        await rest(2_000, signal);
      });
    },
  },
  {
    name: 'a thousand views of one slow page at once, page after page',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const texts = times(40, page => `${page} ${'a.'.repeat(20_000)}@`);
      const made = await create(hostile, { pages: texts.map(markdown => ({ markdown })) });
      if (!made) return;
      await flood(hostile, 1, async round => {
        for (let index = 0; index < 1_000; index += 1)
          hold(port, beside(from, 200 + (index % 3)), get(`/n/${made.slug}/p/${made.pages[round % 40]}`), signal);
        await rest(1_000, signal);
      });
    },
  },
  {
    name: 'nineteen hundred requests at once on open connections, again and again',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const made = await create(hostile, {});
      if (!made) return;
      const texts = [
        ...['/healthz', '/api/notebooks/none', `/n/${made.slug}`, '/'].map(get),
        'GET / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\n\r\n',
        get('/api/notebooks/none').repeat(12),
      ];
      const sockets: ReturnType<typeof hold>[] = [];
      for (let index = 0; index < 1_900 && !signal.aborted; index += 1) {
        sockets.push(hold(port, beside(from, 200 + (index % 4)), get('/healthz'), signal));
        if (index % 50 === 0) await rest(10, signal);
      }
      await flood(hostile, 1, async round => {
        for (const socket of sockets) if (socket.writable) socket.write(texts[round % texts.length]!);
        await rest(500, signal);
      });
    },
  },
  {
    name: 'nineteen hundred new connections at once beside requests that take long, again and again',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const made = await create(hostile, { pages: [{ markdown: 'word '.repeat(4_000) }] });
      if (!made) return;
      const agent = new Agent({ keepAlive: true, maxSockets: 64 });
      const path = `/api/notebooks/${made.slug}`;
      const burst = async () => {
        const sockets = Array.from({ length: 1_900 }, (_, index) => hold(port, beside(from, 200 + (index % 4)), '', signal));
        await rest(700, signal);
        for (const socket of sockets) socket.destroy();
      };
      await Promise.all([flood(hostile, 64, () => ask(port, { path, from, agent, signal })), flood(hostile, 1, burst)]);
    },
  },
  {
    name: 'JSON of 8 MiB of escaped quotes',
    async run(hostile) {
      const { port, from, signal } = hostile;
      const body = `{"pages":[{"markdown":"${'\\"'.repeat(4 * mebibyte - 50)}"}]}`;
      await flood(hostile, 2, () => ask(port, { method: 'POST', path: '/api/notebooks', from, signal, body }));
    },
  },
  {
    name: 'nineteen hundred connections reset in the middle of a body',
    async run(hostile) {
      const head = 'POST /api/quick HTTP/1.1\r\nhost: x\r\ncontent-type: text/markdown\r\ncontent-length: 10\r\n\r\n';
      await withMany(hostile, head, socket => socket.resetAndDestroy());
    },
  },
  {
    name: 'nineteen hundred heads of 17 kB at once',
    async run(hostile) {
      const head = `GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(17_000)}\r\n\r\n`;
      await withMany(hostile, get('/healthz'), socket => socket.write(head));
    },
  },
];

/** Opens 1,900 connections that each say something, and then does one thing to all of them at once; again and again. */
async function withMany({ port, from, signal }: Hostile, text: string, act: (socket: Socket) => void): Promise<void> {
  while (!signal.aborted) {
    const sockets: Socket[] = [];
    for (let index = 0; index < 1_900 && !signal.aborted; index += 1) {
      sockets.push(hold(port, beside(from, 200 + (index % 4)), text, signal));
      if (index % 50 === 0) await rest(10, signal);
    }
    await rest(300, signal);
    for (const socket of sockets) act(socket);
    await rest(500, signal);
    for (const socket of sockets) socket.destroy();
  }
}
