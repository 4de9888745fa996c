import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiClient, NoAnswer } from '../../src/commands/remote/api-client.ts';

let server: Server;
let answer: RequestListener;
let client: ApiClient;
beforeEach(async () => {
  server = createServer((request, reply) => answer(request, reply)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = new ApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  server.closeAllConnections();
  server.close();
});

it('an answer that arrives for longer than a minute is waited for to its end', async () => {
  // A minute is 200 ms here.
  const { timeout } = AbortSignal;
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(ms => timeout.call(AbortSignal, ms / 300));
  const later = globalThis.setTimeout;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms = 0) =>
    later(work, ms / 300)) as typeof setTimeout);
  answer = async (_, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json' });
    for (const piece of ['{"slug":', '"slow",', '"title":', '"Slow"', '}']) {
      reply.write(piece);
      await sleep(100);
    }
    reply.end();
  };
  expect(await client.getNotebook('slow')).toEqual({ slug: 'slow', title: 'Slow' });
});

it.each([
  ['a minute', () => client.getNotebook('silent'), 60_000],
  ['a minute and the time to send 4 kB', () => client.addImage('silent', Buffer.alloc(4_000)), 60_500],
  ['a minute and as long as a server waits for what is sent', () => client.addImage('silent', Buffer.alloc(4_000_000)), 180_000],
])('a server that does not begin to answer is given up after %s', async (_, ask, millis) => {
  let asked = 0;
  answer = () => void asked++;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let failure: unknown;
  const asking = ask().catch((error: unknown) => {
    failure = error;
  });
  while (asked === 0) await new Promise(resolve => setImmediate(resolve));
  vi.advanceTimersByTime(millis - 1);
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve));
  expect(failure).toBeUndefined();
  vi.advanceTimersByTime(1);
  await asking;
  expect(failure).toBeInstanceOf(NoAnswer);
  expect(failure).toMatchObject({ message: expect.stringContaining(`no answer within ${millis / 1_000} seconds`) });
});

it('a refusal that breaks off counts as no answer', async () => {
  answer = (_, reply) => {
    reply.writeHead(503, { 'content-type': 'application/problem+json', 'content-length': '100' });
    reply.write('{"title":');
    setTimeout(() => reply.destroy(), 20);
  };
  await expect(client.getNotebook('broken')).rejects.toBeInstanceOf(NoAnswer);
});
