import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createMemoryStore } from '../../src/objects/memory.ts';
import { startNotebookApp } from '../support/notebook-app.ts';

it('the first request to a bucket loads nothing that was not loaded before', async () => {
  // A process of its own: this one has used `fetch` already.
  const program = fileURLToPath(new URL('./first-request-process.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  const { before, after } = JSON.parse(stdout) as { before: string[]; after: string[] };
  expect(after).toContain('NativeModule internal/deps/undici/undici');
  expect(after.filter(name => !before.includes(name))).toEqual([]);
});

it('the service prepares its store before it listens', async () => {
  const seen: boolean[] = [];
  const prepare = async () => void seen.push(app.server.server.listening);
  const app = await startNotebookApp({ overrides: { objects: { ...createMemoryStore(), prepare } } });
  try {
    expect(seen).toEqual([]);
    await app.listen();
    expect(seen).toEqual([false]);
  } finally {
    await app.close();
  }
});
