import net, { type AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareHead } from '../answers/ready-answer.ts';
import { openFrontDoor } from '../front-door.ts';
import { Pressure } from '../load/pressure.ts';

const app = Fastify({ logger: { level: 'error' } });
const ready = { status: 200, head: prepareHead(200, { 'content-length': 2 }), body: Buffer.from('ok') } as const;
let answered = 0;

beforeAll(async () => {
  app.all('/other', async () => {
    answered += 1;
    return 'ok';
  });
  const find = () => {
    answered += 1;
    return ready;
  };
  openFrontDoor(app, {
    pressure: new Pressure(),
    unread: { add: () => {} },
    routes: [{ route: '/n/:slug', takes: url => url.startsWith('/n/'), find }],
    metrics: undefined,
    pulse: undefined,
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => app.close());

/** The status of the answer; a refusal also closes the connection. */
const ask = (start: string, lines: readonly string[], body = '') =>
  new Promise<number>((resolve, reject) => {
    const text = `${[start, ...lines].join('\r\n')}\r\n\r\n${body}`;
    const socket = net.connect((app.server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', part => (answer += part)).once('error', reject);
    socket.once('close', () => resolve(Number(answer.split(' ')[1])));
  });
const close = 'connection: close';

describe('a request whose host can be read in two ways is refused, whatever it asks for:', () => {
  it.each<[string, string[]]>([
    ['none', []],
    ['two', ['host: a', 'host: b']],
    ['the same twice', ['Host: a', 'hOST: a']],
    ['one with a person', ['host: me@a']],
    ['one with a path', ['host: a/b']],
    ['one with a query', ['host: a?b']],
    ['an address', ['host: http://a']],
    ['two in a line', ['host: a b']],
    ['half of an IPv6 address', ['host: [::1']],
    ['a port that is none', ['host: a:b']],
  ])('%s', async (_, lines) => {
    answered = 0;
    for (const start of ['GET /n/a HTTP/1.1', 'POST /other HTTP/1.1', 'GET http://a/n/a HTTP/1.1', 'PUT /none HTTP/1.1'])
      expect(await ask(start, lines), start).toBe(400);
    expect(answered).toBe(0);
  });

  it('in HTTP/1.0, two or none that is a host, too', async () => {
    expect(await ask('GET /n/a HTTP/1.0', ['host: a', 'host: a'])).toBe(400);
    expect(await ask('GET /n/a HTTP/1.0', ['host: a/b'])).toBe(400);
    expect(await ask('GET /n/a HTTP/1.0', [])).toBe(200);
  });
});

it.each(['a', 'a:80', 'A.example:', 'my_host', '127.0.0.1:8080', '[::1]', '[::ffff:127.0.0.1]:80', ''])(
  'the host %j can be read in one way',
  async host => expect(await ask('GET /n/a HTTP/1.1', [`host: ${host}`, 'x-host: b', 'hosts: c', close])).toBe(200),
);

describe('a body whose end can be read in two ways is refused:', () => {
  const post = (lines: readonly string[]) => ask('POST /other HTTP/1.1', ['host: x', close, ...lines], '5\r\nhello\r\n0\r\n\r\n');

  it.each([
    ['two lengths', ['content-length: 15', 'content-length: 16']],
    ['the same length twice', ['content-length: 15', 'content-length: 15']],
    ['a list of lengths', ['content-length: 15, 15']],
    ['a length with a sign', ['content-length: +15']],
    ['a length and chunks', ['content-length: 15', 'transfer-encoding: chunked']],
    ['chunks and a length', ['transfer-encoding: chunked', 'content-length: 15']],
    ['a coding after the chunks', ['transfer-encoding: chunked, gzip']],
  ])('%s', async (_, lines) => expect(await post(['content-type: text/plain', ...lines])).toBe(400));

  it.each([
    ['a length', 'content-length: 15'],
    ['chunks', 'transfer-encoding: chunked'],
  ])('and one with %s is read', async (_, line) => expect(await post(['content-type: text/plain', line])).toBe(200));
});
