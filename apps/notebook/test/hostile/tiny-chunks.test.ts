import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Pressure } from '../../src/http/load/pressure.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

describe('a body in chunks of a few bytes', () => {
  const pressure = new Pressure();
  let app: NotebookApp;
  let port: number;
  beforeAll(async () => {
    app = await startNotebookApp({ overrides: { pressure } });
    port = Number(new URL(await app.listen()).port);
  });
  afterAll(() => app.close());

  const chunksOf = (text: string, count: number) => `${text.length.toString(16)}\r\n${text}\r\n`.repeat(count);

  /** @returns what was answered before the connection ended, and how much of the body was taken until then */
  async function send(path: string, chunks: string, type = 'text/markdown'): Promise<{ answer: string; received: number }> {
    const request = `POST ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`;
    const arrived = once(app.server.server, 'request');
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {});
    const closed = new Promise(resolve => socket.once('close', resolve));
    let answer = '';
    socket.on('data', chunk => {
      answer += chunk;
    });
    socket.write(`${request}${chunks}0\r\n\r\n`);
    const [{ socket: server }] = await arrived;
    await closed;
    return { answer: answer.split('\r\n')[0]!, received: server.bytesRead };
  }

  it('is taken as long as they carry something', async () => {
    expect((await send('/api/quick', chunksOf('a line of a log\n', 20_000))).answer).toBe('HTTP/1.1 201 Created');
  });

  it.each([
    { when: 'while it is read', path: '/api/quick', chunks: chunksOf('x', 700_000), type: 'text/markdown' },
    {
      // Longer than a form may be: refused, and read on so that the sender sees the answer.
      when: 'while what is left of a refused one is read on',
      path: '/api/notebooks/a-slug/unlock',
      chunks: chunksOf('x'.repeat(70_000), 1) + chunksOf('x', 700_000),
      type: 'application/x-www-form-urlencoded',
    },
  ])('ends its connection $when', async ({ path, chunks, type }) => {
    const { received } = await send(path, chunks, type);
    expect(received).toBeLessThan(1_048_576);
    await expect.poll(() => pressure.requests).toBe(0);
    expect((await send('/api/quick', chunksOf('words', 10))).answer).toBe('HTTP/1.1 201 Created');
  });

  it.each([
    ['in front of the framework', 'POST /api/quick HTTP/1.1\r\nexpect: other', 417],
    ['by the framework', 'POST /api/notebooks/a-slug/images HTTP/1.1', 411],
    ['with what it asked for', 'GET /healthz HTTP/1.1', 200],
  ])('ends its connection when its request was answered before it came: %s', async (_, head, status) => {
    const arrived = once(app.server.server, 'request');
    const expected = once(app.server.server, 'checkExpectation');
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {});
    socket.write(`${head}\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n`);
    const [[answer], [{ socket: server }]] = await Promise.all([once(socket, 'data'), Promise.race([arrived, expected])]);
    expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const closed = new Promise(resolve => socket.once('close', resolve));
    socket.write(chunksOf('x', 700_000));
    await closed;
    expect(server.bytesRead).toBeLessThan(1_048_576);
  });

  it('leaves its connection for the next request when it is an ordinary one', async () => {
    const socket = connect({ port, host: '127.0.0.1' });
    let text = '';
    socket.on('data', part => {
      text += part;
    });
    for (let count = 1; count <= 2; count++) {
      socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n');
      await expect.poll(() => text.match(/"ok":true/g)?.length).toBe(count);
      socket.write(`${chunksOf('some words', 100)}0\r\n\r\n`);
    }
    socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    await once(socket, 'close');
    expect(text.match(/"ok":true/g)).toHaveLength(3);
  });
});
