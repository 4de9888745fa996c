import { expect, test } from 'vitest';
import * as express from '../src/express.ts';
import * as fastify from '../src/fastify.ts';
import * as hono from '../src/hono.ts';
import * as next from '../src/next.ts';
import { refusalIn } from './support/refusal.ts';

// The program itself calls an adapter, so the error names a wrong argument instead of a property of undefined.

const nothing = [undefined, null, 7, 'GET /', {}];

test.each([
  ['Express', express.readRequest],
  ['Fastify', fastify.readRequest],
  ['Hono', hono.readRequest],
  ['Next', next.readRequest],
] as [string, (request: never) => unknown][])('%s: refuses by name what is not a request', async (framework, read) => {
  for (const request of nothing)
    await expect((async () => read(request as never))()).rejects.toThrow(
      refusalIn('SAML_CONFIG_INVALID', new RegExp(`request: expected a request of ${framework}`)),
    );
});

const target = { writeHead() {}, end() {}, code: () => target, headers: () => target, send() {} };

test.each([
  ['Express', express.send],
  ['Fastify', fastify.send],
] as [string, (target: never, answer: never) => Promise<void>][])(
  '%s: sends an answer only through a reply',
  async (_name, send) => {
    for (const wrong of nothing)
      await expect(send(wrong as never, new Response() as never)).rejects.toThrow(
        refusalIn('SAML_CONFIG_INVALID', /(?:response|reply): expected/),
      );
    await send(target as never, new Response('ok') as never);
  },
);

test.each([
  ['Express', (answer: never) => express.send(target as never, answer)],
  ['Fastify', (answer: never) => fastify.send(target as never, answer)],
  ['Hono', async (answer: never) => void hono.send(answer)],
] as [string, (answer: never) => Promise<void>][])('%s: sends only an answer', async (_name, send) => {
  // A forgotten `await` leaves a promise.
  for (const answer of [...nothing, Promise.resolve(new Response())])
    await expect(send(answer as never)).rejects.toThrow(refusalIn('SAML_CONFIG_INVALID', /answer: expected a Response or/));
});

test('Fastify: registers the parsers only on an instance', () => {
  for (const app of nothing)
    expect(() => fastify.acceptSaml(app as never)).toThrow(
      refusalIn('SAML_CONFIG_INVALID', /app: expected an instance of Fastify/),
    );
});
