import dns from 'node:dns';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp;
afterEach(async () => {
  vi.restoreAllMocks();
  await app.close();
});

// Linux alone has more addresses of the loopback from the start.
it.skipIf(process.platform !== 'linux')('no second address of localhost leads past the front door', async () => {
  const lookup = dns.lookup as (...given: unknown[]) => void;
  const two = [
    { address: '127.0.0.1', family: 4 },
    { address: '127.0.0.2', family: 4 },
  ];
  vi.spyOn(dns, 'lookup').mockImplementation(((name: string, options: object, done: (error: null, all: object) => void) => {
    if (name === 'localhost') done(null, two);
    else lookup(name, options, done);
  }) as typeof dns.lookup);
  app = await startNotebookApp({ env: { HOST: 'localhost' } });
  const { port } = new URL(await app.listen());
  await expect(once(connect(Number(port), '127.0.0.2'), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
});
