import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerUnknownPaths, collectRoutes } from '../refusals.ts';
import { addBuiltFiles } from './built-files.ts';

const dist = mkdtempSync(join(tmpdir(), 'octavo-built-'));
const folder = `${dist}/client/`;
const script = 'export const answer = 42;\n'.repeat(100);
let server: FastifyInstance;

beforeAll(async () => {
  for (const name of ['.vite', 'assets']) mkdirSync(join(folder, name), { recursive: true });
  const files = {
    'favicon.svg': '<svg/>',
    'card.png': 'a picture',
    '.vite/manifest.json': '{}',
    '.secret': 'nothing of ours',
    'assets/reader-AbCd1234.js': script,
    'assets/reader-AbCd1234.js.br': brotliCompressSync(script),
    'assets/.hidden': 'nothing of ours',
  };
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  server = Fastify();
  const routes = collectRoutes(server);
  await addBuiltFiles(server, folder);
  answerUnknownPaths(server, routes, (reply, code) => reply.code(code === 'not_found' ? 404 : 405).send(code));
});
afterAll(async () => {
  await server?.close();
  rmSync(dist, { recursive: true });
});

it('serves the files of the build with how long each may be kept', async () => {
  const asset = await server.inject('/assets/reader-AbCd1234.js');
  expect([asset.statusCode, asset.body]).toEqual([200, script]);
  expect(asset.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'content-type': expect.stringMatching(/^(?:text|application)\/javascript\b/),
    etag: expect.any(String),
  });
  const icon = await server.inject('/favicon.svg');
  expect([icon.statusCode, icon.headers['cache-control']]).toEqual([200, 'public, max-age=3600']);
  expect(icon.headers).not.toHaveProperty('access-control-allow-origin');
  expect((await server.inject('/card.png')).headers['cross-origin-resource-policy']).toBe('cross-origin');
});

it.each([
  [{ 'if-match': '"another"' }, 412, undefined],
  [{ 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' }, 412, undefined],
  [{ range: 'bytes=99999-' }, 416, `bytes */${script.length}`],
])('answers %j with %i and without a page', async (headers, status, range) => {
  const answer = await server.inject({ url: '/assets/reader-AbCd1234.js', headers });
  expect([answer.statusCode, answer.body, answer.headers['content-range']]).toEqual([status, '', range]);
  expect(answer.headers['cache-control']).toBe('no-store');
});

it('sends what was compressed ahead of time, a part of a file, and nothing that the client has', async () => {
  const url = '/assets/reader-AbCd1234.js';
  const coded = await server.inject({ url, headers: { 'accept-encoding': 'br, gzip' } });
  expect(coded.headers['content-encoding']).toBe('br');
  expect(coded.rawPayload.length).toBeLessThan(script.length / 10);
  const part = await server.inject({ url, headers: { range: 'bytes=0-5' } });
  expect([part.statusCode, part.body]).toEqual([206, 'export']);
  const { etag } = (await server.inject(url)).headers;
  expect((await server.inject({ url, headers: { 'if-none-match': etag as string } })).statusCode).toBe(304);
  const head = await server.inject({ method: 'HEAD', url });
  expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', String(script.length)]);
});

it('serves what a build made since, and the hashed files of the build before, as windows of both versions ask for them', async () => {
  const former = join(dist, 'former');
  mkdirSync(join(former, 'assets'), { recursive: true });
  writeFileSync(join(folder, 'assets/reader-NeWer123.js'), 'newer');
  const older = 'older '.repeat(200);
  writeFileSync(join(former, 'assets/reader-OlDer123.js'), older);
  writeFileSync(join(former, 'assets/reader-OlDer123.js.br'), brotliCompressSync(older));
  writeFileSync(join(former, 'favicon.svg'), 'older');
  writeFileSync(join(former, 'gone.svg'), 'older');
  expect((await server.inject('/assets/reader-NeWer123.js')).body).toBe('newer');
  const answer = await server.inject('/assets/reader-OlDer123.js');
  expect([answer.body, answer.headers['cache-control']]).toEqual([older, 'public, max-age=31536000, immutable']);
  expect(answer.headers['access-control-allow-origin']).toBe('*');
  const coded = await server.inject({ url: '/assets/reader-OlDer123.js', headers: { 'accept-encoding': 'br' } });
  expect([coded.statusCode, coded.headers['content-encoding']]).toEqual([200, 'br']);
  expect((await server.inject('/favicon.svg')).body).toBe('<svg/>');
  expect((await server.inject('/gone.svg')).statusCode).toBe(404);
});

it.each([
  '/assets/unknown-AbCd1234.js',
  '/assets/reader-AbCd1234.js.br',
  '/assets/reader-AbCd1234.js/',
  '/assets/.hidden',
  '/assets/',
  '/assets',
  '/.secret',
  '/.vite/manifest.json',
  '/assets/..%2Ffavicon.svg',
  '/assets/..%2f.vite%2fmanifest.json',
  '/assets/..%5Cfavicon.svg',
  '/assets/reader-AbCd1234.js%00',
  '/',
  '/unknown',
])('knows nothing else: %s', async url => {
  expect((await server.inject(url)).statusCode).toBe(404);
});

it('takes nothing but GET and HEAD', async () => {
  const answer = await server.inject({ method: 'POST', url: '/assets/reader-AbCd1234.js' });
  expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'HEAD, GET']);
});
