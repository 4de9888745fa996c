import { afterEach, expect, it, vi } from 'vitest';
import { quickCreate } from '../site/quick-create.ts';
import { createNotebook } from './api-client.ts';

afterEach(() => vi.unstubAllGlobals());

const half = '\ud83d';

it.each([
  ['on the home page', () => quickCreate(`a${half}b\0`, 'markdown', 'key')],
  ['at /new', () => createNotebook({ title: `a${half}b\0`, pages: [{ markdown: `a${half}b\0` }] }, 'key')],
])('half an emoji or a NUL in a text %s is replaced, because the service refuses it', async (_where, create) => {
  const request = vi.fn(async (_path: string, _init: RequestInit) => Response.json({}));
  vi.stubGlobal('fetch', request);
  await create();
  const sent = String(request.mock.calls[0]![1].body);
  expect(sent).toContain('"markdown":"a\ufffdb\ufffd"');
  expect(sent).not.toMatch(/\\ud83d|\\u0000/);
});
