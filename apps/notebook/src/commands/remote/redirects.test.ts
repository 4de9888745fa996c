import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { objectKey } from '../../model/image.ts';
import type { Terminal } from '../command.ts';
import { ApiClient } from './api-client.ts';
import { fetchImages } from './fetch-images.ts';

const editToken = 't0kEn-_'.repeat(7).slice(0, 43);

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that sends everything on to a stranger, and what the stranger is asked for. */
async function sendingOn(): Promise<{ origin: string; stranger: string; asked: string[] }> {
  const asked: string[] = [];
  const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de', 'hex');
  const stranger = await listen(({ method, url, headers }, answer) => {
    asked.push(`${method} ${url} ${headers['x-edit-token']}`);
    answer.end(png);
  });
  const origin = await listen(({ url }, answer) => {
    answer.writeHead(307, { location: stranger + url }).end();
  });
  return { origin, stranger, asked };
}

it('the edit token follows no server that sends on, and the person is told where it does', async () => {
  const { origin, stranger, asked } = await sendingOn();
  const client = new ApiClient(origin, editToken);
  for (const call of [client.getNotebook('notes'), client.changePage('notes', 'p', { markdown: 'words' }, 1)]) {
    const error: Error = await call.then(
      () => new Error('answered'),
      refused => refused,
    );
    expect(error.message).toContain(`The server sends on to ${stranger}/api/notebooks/notes`);
    expect(error.message).not.toContain(editToken);
  }
  expect(asked).toEqual([]);
});

it('an image is fetched from its own address, not from where that sends on to', async () => {
  const { origin, asked } = await sendingOn();
  const folder = mkdtempSync(join(tmpdir(), 'octavo-sent-on-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const url = `${origin}/${objectKey('a'.repeat(32), '0'.repeat(32), 'png')}`;
  const server = { listImages: async () => [{ url }] } as unknown as ApiClient;
  const said: string[] = [];
  const terminal = { print: (words: string) => said.push(words), complain: (words: string) => said.push(words) };
  const place = { url, path: join(folder, 'bird.png') };
  const { missing } = await fetchImages(terminal as unknown as Terminal, server, 'notes', [place]);
  expect([missing, asked, readdirSync(folder)]).toEqual([1, [], []]);
  expect(said).toEqual([expect.stringContaining('bird.png: could not be fetched')]);
});
