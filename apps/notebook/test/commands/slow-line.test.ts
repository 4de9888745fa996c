import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
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
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  // The clock of a signal cannot be played: it would be over at once.
  const { timeout } = AbortSignal;
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout.call(AbortSignal, 0));
  const arrived = vi.spyOn(Response.prototype, 'json');
  const pieces = ['{"slug":', '"slow",', '"title":', '"Slow"', '}'];
  let reply: ServerResponse | undefined;
  answer = (_, asked) => {
    reply = asked;
    asked.writeHead(200, { 'content-type': 'application/json' });
    asked.write(pieces[0]);
  };
  const asking = client.getNotebook('slow');
  // Its head is there.
  while (arrived.mock.calls.length === 0) await nextTurn();
  for (const piece of pieces.slice(1)) {
    vi.advanceTimersByTime(40_000);
    await nextTurn();
    reply!.write(piece);
  }
  reply!.end();
  expect(await asking).toEqual({ slug: 'slow', title: 'Slow' });
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
  while (asked === 0) await nextTurn();
  vi.advanceTimersByTime(millis - 1);
  for (let turn = 0; turn < 20; turn++) await nextTurn();
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
