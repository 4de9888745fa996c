import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { objectKey } from '../../model/image.ts';
import type { Terminal } from '../command.ts';
import type { ApiClient } from './api-client.ts';
import { fetchImages } from './fetch-images.ts';

it('fetches an image from where it is now, never from the address in the text', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de', 'hex');
  const asked: string[] = [];
  const store = createServer((request, answer) => {
    asked.push(`${request.headers.host}${request.url}`);
    answer.end(png);
  }).listen(0, '127.0.0.1');
  await once(store, 'listening');
  const { port } = store.address() as AddressInfo;
  const folder = mkdtempSync(join(tmpdir(), 'octavo-fetch-'));
  const key = objectKey('a'.repeat(32), '0'.repeat(32), 'png');
  const server = { listImages: async () => [{ url: `http://127.0.0.1:${port}/new/${key}` }] } as unknown as ApiClient;
  const said: string[] = [];
  const terminal = {
    print: (words: string) => said.push(words),
    complain: (words: string) => said.push(words),
  } as unknown as Terminal;
  const place = { url: `http://localhost:${port}/old/${key}`, path: join(folder, 'bird.png') };
  const { missing } = await fetchImages(terminal, server, 'slug', [place]);
  expect([missing, asked, said]).toEqual([0, [`127.0.0.1:${port}/new/${key}`], [expect.stringContaining('bird.png: written')]]);
  expect(readFileSync(place.path)).toEqual(png);
  store.close();
  rmSync(folder, { recursive: true });
});
