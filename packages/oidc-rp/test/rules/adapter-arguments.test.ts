import { expect, test } from 'vitest';
import * as express from '../../src/express.ts';
import * as fastify from '../../src/fastify.ts';
import * as hono from '../../src/hono.ts';
import * as next from '../../src/next.ts';
import { errorOf } from '../support/expect-refused.ts';

// The program itself calls an adapter, so the error names a wrong argument instead of a property of undefined.

const nothing = [undefined, null, 7, 'GET /', {}];

test.each([
  ['Express', express.readRequest],
  ['Fastify', fastify.readRequest],
  ['Hono', hono.readRequest],
  ['Next', next.readRequest],
] as [string, (request: never) => Promise<unknown>][])('%s: refuses by name what is not a request', async (framework, read) => {
  for (const request of nothing) {
    const error = await errorOf(read(request as never));
    expect(error).toMatchObject({ code: 'OIDC_CONFIG_INVALID', status: 500, check: 'request' });
    expect(error.expected).toBe(`a request of ${framework}`);
  }
});

test("refuses Node's request in place of the framework's", async () => {
  const raw = { method: 'GET', url: '/callback', headers: {}, async *[Symbol.asyncIterator]() {} };
  for (const read of [express.readRequest, fastify.readRequest])
    expect((await errorOf(read(raw as never))).check).toBe('request');
});

const target = { writeHead() {}, end() {}, code() {}, headers() {}, send() {} };

test.each([
  ['Express', express.sendResponse],
  ['Fastify', fastify.sendResponse],
  ['Next', next.sendResponse],
] as [string, (target: never, answer: never) => Promise<void>][])(
  '%s: sends only a Response, and only through a reply',
  async (_name, send) => {
    // A forgotten `await` leaves a promise.
    for (const answer of [...nothing, Promise.resolve(new Response())])
      expect(await errorOf(send(target as never, answer as never))).toMatchObject({ check: 'answer', expected: 'a Response' });
    for (const wrong of nothing) expect((await errorOf(send(wrong as never, new Response() as never))).check).toBe('response');
    await send(target as never, new Response('ok') as never);
  },
);

test('Fastify: registers the form parser only on an instance', async () => {
  for (const app of nothing) expect((await errorOf((async () => fastify.acceptForms(app as never))())).check).toBe('app');
});
