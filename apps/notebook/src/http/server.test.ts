import net from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../limits.ts';
import { commonHeaders } from './answers/security-headers.ts';
import { Pressure } from './load/pressure.ts';
import { statusOf } from './refusals.ts';
import { createServer, type ServerOptions } from './server.ts';

const publicUrl = 'https://notes.example';

async function open(over: Partial<ServerOptions> = {}, hold = async () => {}): Promise<FastifyInstance> {
  const server = await createServer({
    publicUrl,
    imageOrigin: 'https://images.example',
    logLevel: 'silent',
    trustProxy: [],
    sendErrorPage: (reply, code, detail) => reply.code(statusOf(code)).send(`page ${code} ${detail}`),
    pressure: new Pressure(),
    workers: 1,
    rateLimits: 'on',
    ...over,
  });
  const schema = {
    body: {
      type: 'object',
      additionalProperties: false,
      properties: { size: { type: 'integer', default: 1 }, title: { type: 'string' } },
    },
  };
  server.post('/api/echo', { schema }, async request => ({ body: request.body, ip: request.ip }));
  server.get('/n/:slug', async request => ({ slug: (request.params as { slug: string }).slug, ip: request.ip }));
  server.post('/n/:slug', async () => 'taken');
  server.post('/held', async () => {
    await hold();
    return 'held';
  });
  await server.ready();
  return server;
}

describe('every request', () => {
  let server: FastifyInstance;
  beforeAll(async () => {
    server = await open();
  });
  afterAll(() => server.close());

  it('is answered with the common headers, whatever it is', async () => {
    for (const url of ['/n/a', '/n/%zz', '/api/%zz', '/n/a%00b', '/api/echo?a=%00']) {
      const answer = await server.inject(url);
      expect({ url, ...answer.headers }).toMatchObject(commonHeaders(publicUrl));
    }
  });

  it('below the API is kept by nobody', async () => {
    const echo = await server.inject({ method: 'POST', url: '/api/echo', payload: {} });
    expect([echo.statusCode, echo.headers['cache-control']]).toEqual([200, 'no-store']);
    const encoded = await server.inject({ method: 'POST', url: '/%61pi/echo', payload: {} });
    expect([encoded.statusCode, encoded.headers['cache-control']]).toEqual([200, 'no-store']);
    expect((await server.inject('/n/api/')).headers).not.toHaveProperty('cache-control');
    expect((await server.inject('/n/a')).headers).not.toHaveProperty('cache-control');
  });

  it('with a path that cannot be read is not there: a page for people, a problem for programs', async () => {
    const page = await server.inject('/n/%zz');
    expect([page.statusCode, page.body]).toEqual([404, 'page not_found undefined']);
    const problem = await server.inject('/api/%zz');
    expect([problem.statusCode, problem.headers['content-type']]).toEqual([404, 'application/problem+json; charset=utf-8']);
    expect((await server.inject('/x/api/%zz')).body).toBe('page not_found undefined');
  });

  it('of the API is answered for programs, whichever letters of its path are encoded', async () => {
    const { headers, statusCode } = await server.inject({ method: 'POST', url: '/%61pi/echo', payload: { other: 1 } });
    expect([statusCode, headers['content-type']]).toEqual([422, 'application/problem+json; charset=utf-8']);
    const latin = await server.inject({ method: 'POST', url: '/%61pi/echo?q=%ff', payload: {} });
    expect(latin.statusCode).toBe(400);
  });

  it('with a NUL in its path is not there, in its query is refused', async () => {
    expect((await server.inject('/n/a%00b')).statusCode).toBe(404);
    const answer = await server.inject('/n/a?ok=1&x=b&x=%00');
    expect([answer.statusCode, answer.body]).toEqual([400, 'page bad_request The query holds a NUL character.']);
    expect((await server.inject('/n/a?x=b&x=c')).statusCode).toBe(200);
  });

  it('has a slug of up to 16,384 characters', async () => {
    expect((await server.inject(`/n/${'a'.repeat(16_384)}`)).statusCode).toBe(200);
    expect((await server.inject(`/n/${'a'.repeat(16_385)}`)).statusCode).not.toBe(200);
  });

  it('that changes something with a cookie comes from our own pages', async () => {
    const headers = { cookie: 'nb_unlock_a=b', 'sec-fetch-site': 'cross-site' };
    expect((await server.inject({ method: 'POST', url: '/n/a', headers })).statusCode).toBe(403);
    expect((await server.inject({ method: 'GET', url: '/n/a', headers })).statusCode).toBe(200);
    expect((await server.inject({ method: 'HEAD', url: '/n/a', headers })).statusCode).toBe(200);
    expect((await server.inject({ method: 'POST', url: '/n/a', headers: { cookie: 'a=b', origin: publicUrl } })).statusCode).toBe(
      200,
    );
  });

  it('is checked as it came: nothing is changed, left out or filled in, and everything wrong is told', async () => {
    const send = (payload: object) => server.inject({ method: 'POST', url: '/api/echo', payload });
    expect((await send({ title: 'a' })).json().body).toEqual({ title: 'a' });
    expect((await send({ size: '1', title: 2, other: 3 })).json().errors).toHaveLength(3);
  });

  it('may have a body of so many bytes', async () => {
    const send = (bytes: number) =>
      server.inject({
        method: 'POST',
        url: '/api/echo',
        payload: Buffer.alloc(bytes, ' '),
        headers: { 'content-type': 'application/json' },
      });
    expect((await send(limits.maxBodyBytes)).statusCode).not.toBe(413);
    expect((await send(limits.maxBodyBytes + 1)).statusCode).toBe(413);
  });

  it('comes from its socket', async () => {
    expect((await server.inject({ url: '/n/a', headers: { 'x-forwarded-for': '203.0.113.7' } })).json().ip).toBe('127.0.0.1');
  });

  it('has its time-outs', () => {
    expect(server.server).toMatchObject({
      requestTimeout: limits.requestSeconds * 1_000,
      headersTimeout: limits.headersSeconds * 1_000,
    });
  });

  it('is described', async () => {
    const { info, servers, components, openapi } = (server as unknown as { swagger(): Record<string, object> }).swagger();
    expect({ openapi, servers, components }).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: publicUrl }],
      components: { securitySchemes: { editToken: { type: 'apiKey', in: 'header', name: 'X-Edit-Token' } } },
    });
    expect(info).toEqual({
      title: 'Octavo notebook service',
      version: '1',
      description: expect.stringMatching(/^Notebooks of Markdown pages, .* X-Edit-Token\.$/),
    });
  });

  it('for a page may show images of the store', () => {
    expect(server.htmlHeaders({ frames: false })['content-security-policy']).toContain('https://images.example');
  });
});

it('a proxy that is trusted says whom it asks for', async () => {
  const server = await open({ trustProxy: ['127.0.0.1'] });
  expect((await server.inject({ url: '/n/a', headers: { 'x-forwarded-for': '203.0.113.7' } })).json().ip).toBe('203.0.113.7');
  await server.close();
});

it('who ends its side once it has asked is answered', async () => {
  const knowing = Promise.withResolvers<void>();
  const server = await open({}, () => knowing.promise);
  server.server.on('connection', socket => socket.once('end', knowing.resolve));
  await server.listen({ port: 0, host: '127.0.0.1' });
  const client = net.connect({ port: (server.server.address() as net.AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  client.end('POST /held HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
  expect(await text(client)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*held$/s);
  await server.close();
});

it.each([
  ['on', 4],
  ['off', 5],
] as const)('with limits %s one client may hold %i large bodies', async (rateLimits, held) => {
  let [entered, go] = [0, () => {}];
  const gate = new Promise<void>(resolve => (go = resolve));
  const server = await open({ rateLimits }, async () => {
    entered += 1;
    if (entered === 5) go();
    await gate;
  });
  const payload = Buffer.alloc(Math.ceil(limits.maxInFlightBytesPerClient / 5) + 1, 'a');
  const send = async () => {
    const { statusCode } = await server.inject({
      method: 'POST',
      url: '/held',
      payload,
      headers: { 'content-type': 'text/plain' },
    });
    if (statusCode !== 200) go();
    return statusCode;
  };
  const answers = await Promise.all(Array.from({ length: 5 }, send));
  expect(answers.filter(status => status === 200)).toHaveLength(held);
  expect(answers.filter(status => status === 429)).toHaveLength(5 - held);
  await server.close();
});
