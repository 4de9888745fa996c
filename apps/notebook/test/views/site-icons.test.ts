import { afterAll, beforeAll, expect, it } from 'vitest';
import { urls } from '../../src/urls.ts';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
beforeAll(async () => {
  app = await startNotebookApp();
});
afterAll(() => app?.close());

/** Width and height stand in the first chunk of a PNG. */
function pngSize(bytes: Buffer): string {
  expect(bytes.subarray(1, 4).toString('latin1')).toBe('PNG');
  return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
}

it('/favicon.ico holds a 16 and a 32 pixel icon', async () => {
  const answer = await app.ask('GET', urls.faviconIco());
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['content-type']).toMatch(/^image\/(?:vnd\.microsoft\.icon|x-icon)$/);
  const bytes = answer.rawPayload;
  const count = bytes.readUInt16LE(4);
  const sizes = Array.from({ length: count }, (_, index) => {
    const at = 6 + 16 * index;
    const from = bytes.readUInt32LE(at + 12);
    return pngSize(bytes.subarray(from, from + bytes.readUInt32LE(at + 8)));
  });
  expect(sizes).toEqual(['16x16', '32x32']);
});

it('/apple-touch-icon.png is 180 pixels wide', async () => {
  const answer = await app.ask('GET', urls.touchIcon());
  expect(answer.headers['content-type']).toBe('image/png');
  expect(pngSize(answer.rawPayload)).toBe('180x180');
});

it('the web manifest names icons that are there, in the sizes that it says, and pages that answer', async () => {
  const answer = await app.ask('GET', urls.manifest());
  expect(answer.headers['content-type']).toMatch(/^application\/manifest\+json/);
  const manifest = answer.json();
  expect(manifest).toMatchObject({ name: 'Octavo', start_url: '/', scope: '/', display: 'standalone' });
  for (const { src, sizes, type } of manifest.icons) {
    const icon = await app.ask('GET', src);
    expect(icon.headers['content-type'], src).toBe(type);
    if (type === 'image/png') expect(pngSize(icon.rawPayload), src).toBe(sizes);
  }
  for (const { url } of manifest.shortcuts) expect((await app.ask('GET', url)).statusCode, url).toBe(200);
});

it('every page names them', async () => {
  const { body } = await app.ask('GET', '/');
  for (const path of [urls.faviconIco(), urls.favicon(), urls.touchIcon(), urls.manifest()])
    expect(body).toContain(`href="${path}"`);
});
