import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { refusalOf } from '../refusals.ts';
import { takeRawBodies } from './raw-body.ts';

let app: FastifyInstance;
beforeAll(async () => {
  app = Fastify();
  app.setErrorHandler((error, _, reply) => {
    const refusal = refusalOf(error as Parameters<typeof refusalOf>[0])!;
    reply.code(refusal.status).send(refusal.code);
  });
  takeRawBodies(app, 100);
  app.post('/', async request => ({ text: String(request.body), isBuffer: Buffer.isBuffer(request.body) }));
  app.get('/', async () => 'here');
  app.delete('/', async () => 'gone');
  await app.ready();
});
afterAll(() => app.close());

it.each(['image/png', 'application/json', 'text/plain; charset=utf-16', 'no type at all', '/', undefined])(
  'takes bytes as they are, whatever they are called: %s',
  async type => {
    const answer = await app.inject({
      method: 'POST',
      url: '/',
      payload: '{"a":1}',
      headers: type === undefined ? {} : { 'content-type': type },
    });
    expect(answer.json()).toEqual({ text: '{"a":1}', isBuffer: true });
  },
);

it('takes so many bytes, and wants their number first', async () => {
  expect((await app.inject({ method: 'POST', url: '/', payload: Buffer.alloc(100) })).statusCode).toBe(200);
  expect((await app.inject({ method: 'POST', url: '/', payload: Buffer.alloc(101) })).body).toBe('too_large');
  expect((await app.inject({ method: 'POST', url: '/' })).body).toBe('length_required');
});

it('has no question to what brings no file', async () => {
  expect((await app.inject('/')).body).toBe('here');
  expect((await app.inject({ method: 'DELETE', url: '/' })).body).toBe('gone');
});
