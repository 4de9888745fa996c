import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { OutgoingMessage } from '../src/bindings/http-message.ts';
import { maxFormBytes } from '../src/bindings/post-binding.ts';
import { SamlError } from '../src/errors.ts';
import * as express from '../src/express.ts';
import * as fastify from '../src/fastify.ts';
import * as hono from '../src/hono.ts';
import { requireCounts } from '../src/messages/protocol-message.ts';
import * as next from '../src/next.ts';
import { ns } from '../src/xml/names.ts';
import { parseUntrusted } from '../src/xml/xml.ts';
import { refusalIn } from './support/refusal.ts';
import { buildResponse } from './support/response.ts';
import { createServiceProvider, pending, postResponse } from './support/world.ts';

// Each adapter by itself, with requests as its framework hands them over; the examples run with the frameworks.

const form = 'application/x-www-form-urlencoded';
const redirect: OutgoingMessage = { kind: 'redirect', url: 'https://idp.example.edu/sso?a=b' } as OutgoingMessage;
const ownCookies = () => {
  const headers = new Headers({ 'content-type': 'text/plain' });
  headers.append('set-cookie', 'a=1');
  headers.append('set-cookie', 'b=2');
  return new Response('body', { status: 201, headers });
};

describe('Express', () => {
  const request = (change: object, body: string | Buffer[] = '') =>
    Object.assign(Readable.from(typeof body === 'string' ? [Buffer.from(body)] : body), {
      method: 'POST',
      url: '/acs',
      headers: { 'content-type': form },
      ...change,
    });

  test('reads an unread body, a parsed one, and none', async () => {
    const read = await express.readRequest(request({ originalUrl: '/saml/acs' }, [Buffer.from('a='), Buffer.from('b')]));
    expect(read).toEqual({ method: 'POST', url: '/saml/acs', contentType: form, body: Buffer.from('a=b') });
    expect(await express.readRequest(request({ body: { a: 'b' } }))).toEqual({
      method: 'POST',
      url: '/acs',
      contentType: form,
      body: { a: 'b' },
    });
    const bare = { headers: { 'content-type': ['text/xml', form] }, readableEnded: true, async *[Symbol.asyncIterator]() {} };
    expect(await express.readRequest(bare)).toEqual({ method: 'GET', url: '', contentType: 'text/xml' });
  });

  test('reads the body if a parser left an empty object without reading it', async () => {
    expect(await express.readRequest(request({ body: {} }, 'a=b'))).toMatchObject({ body: Buffer.from('a=b') });
    const ended = { ...request({ body: {} }), readableEnded: true, headers: {}, async *[Symbol.asyncIterator]() {} };
    expect(await express.readRequest(ended)).toMatchObject({ body: {} });
  });

  test('reads a form up to its limit, to the byte', async () => {
    const full = [Buffer.alloc(maxFormBytes - 1), Buffer.alloc(1)];
    await expect(express.readRequest(request({}, full))).resolves.toMatchObject({ method: 'POST' });
    await expect(express.readRequest(request({}, [...full, Buffer.alloc(1)]))).rejects.toThrow(
      refusalIn('SAML_MESSAGE_TOO_LARGE', new RegExp(`more than ${maxFormBytes} bytes`)),
    );
  });

  const sent = async (answer: Response | OutgoingMessage, cookies?: string[]) => {
    const log: unknown[] = [];
    const response = {
      writeHead: (status: number, headers: object) => log.push(status, headers),
      end: (body: Uint8Array) => log.push(Buffer.from(body).toString()),
    };
    await express.send(response, answer, cookies);
    return log;
  };

  test('sends an answer with its cookies and ours, and one without', async () => {
    expect(await sent(ownCookies(), ['c=3'])).toEqual([
      201,
      { 'content-type': 'text/plain', 'set-cookie': ['a=1', 'b=2', 'c=3'] },
      'body',
    ]);
    expect(await sent(new Response(null, { status: 204 }))).toEqual([204, {}, '']);
    expect(await sent(new Response(null, { status: 204 }), ['c=3'])).toEqual([204, { 'set-cookie': ['c=3'] }, '']);
    expect(await sent(redirect)).toEqual([expect.any(Number), expect.objectContaining({ location: redirect.url }), '']);
  });
});

describe('Fastify', () => {
  test('reads what its parsers left', () => {
    const request = { method: 'POST', originalUrl: '/saml/acs', headers: { 'content-type': form } };
    expect(fastify.readRequest({ ...request, body: 'a=b' })).toEqual({
      method: 'POST',
      url: '/saml/acs',
      contentType: form,
      body: 'a=b',
    });
    expect(fastify.readRequest({ ...request, body: null })).toEqual({ method: 'POST', url: '/saml/acs', contentType: form });
  });

  test('adds parsers only for types that no one else parses', () => {
    const accept = (taken: string[]) => {
      const added: unknown[] = [];
      fastify.acceptSaml({
        hasContentTypeParser: type => taken.includes(type),
        addContentTypeParser: (types, options, parser) => {
          parser(undefined, 'text', (error, body) => added.push(types, options, error, body));
        },
      });
      return added;
    };
    const options = { parseAs: 'string', bodyLimit: 600_000 };
    const paos = 'application/vnd.paos+xml';
    expect(accept([])).toEqual([[form, paos, 'text/xml'], options, null, 'text']);
    expect(accept([form])).toEqual([[paos, 'text/xml'], options, null, 'text']);
    expect(accept([form, paos, 'text/xml'])).toEqual([]);
  });

  test('sends an answer with its cookies and ours, and one without', async () => {
    const sent = async (answer: Response | OutgoingMessage, cookies?: string[]) => {
      const log: unknown[] = [];
      const noted = (what: unknown) => {
        log.push(what);
        return reply;
      };
      const reply: fastify.FastifyReplyLike = {
        code: status => noted(status),
        headers: values => noted(values),
        send: body => log.push(body.toString()),
      };
      await fastify.send(reply, answer, cookies);
      return log;
    };
    expect(await sent(ownCookies(), ['c=3'])).toEqual([
      201,
      { 'content-type': 'text/plain', 'set-cookie': ['a=1', 'b=2', 'c=3'] },
      'body',
    ]);
    expect(await sent(new Response(null, { status: 204 }))).toEqual([204, {}, '']);
    expect(await sent(redirect)).toEqual([expect.any(Number), expect.objectContaining({ location: redirect.url }), '']);
  });
});

describe('Hono and Next.js', () => {
  const url = 'https://sp.example.org/saml/acs?x=1';
  const context = (contentType: string | undefined, bodyUsed: boolean, method = 'POST') => ({
    req: {
      raw: bodyUsed ? ({ bodyUsed } as Request) : new Request(url, { method: 'POST', body: 'unread' }),
      method,
      url,
      header: (name: string) => (name === 'content-type' ? contentType : undefined),
      text: async () => 'text',
      parseBody: async (options: { all: true }) => ({ parsed: options.all }),
    },
  });

  test('reads an unread body, a form that middleware parsed, and a GET', async () => {
    expect(await hono.readRequest(context(form, false))).toEqual({ method: 'POST', url, contentType: form, body: 'unread' });
    expect(await hono.readRequest(context(`${form}; charset=utf-8`, true))).toMatchObject({ body: { parsed: true } });
    expect(await hono.readRequest(context('text/xml', true))).toMatchObject({ contentType: 'text/xml', body: 'text' });
    expect(await hono.readRequest(context(` ${form}`, true))).toMatchObject({ body: 'text' });
    expect(await hono.readRequest(context(undefined, true))).toMatchObject({ body: 'text' });
    expect(String(await hono.readRequest(context(form, false, 'GET')))).toBe(url);
  });

  test.each([
    ['Hono', (raw: Request) => hono.readRequest({ req: { ...context(form, true).req, raw } })],
    ['Next.js', next.readRequest],
  ])('%s: reads a form up to its limit, to the byte, and no further', async (_name, read) => {
    const post = (body: BodyInit) => new Request(url, { method: 'POST', body, duplex: 'half' } as RequestInit);
    await expect(read(post('x'.repeat(maxFormBytes)))).resolves.toMatchObject({ body: 'x'.repeat(maxFormBytes) });
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: controller => {
        pulled += 1;
        if (pulled > 100) return controller.error(new Error('nobody may read this far'));
        controller.enqueue(new Uint8Array(maxFormBytes / 4));
      },
    });
    await expect(read(post(endless))).rejects.toThrow(
      refusalIn('SAML_MESSAGE_TOO_LARGE', new RegExp(`more than ${maxFormBytes} bytes`)),
    );
  });

  test('a request of the platform', async () => {
    const post = new Request(url, { method: 'POST', body: 'a=b', headers: { 'content-type': form } });
    expect(await next.readRequest(post)).toEqual({ method: 'POST', url, contentType: form, body: 'a=b' });
    const empty = { method: 'POST', url, headers: new Headers(), text: async () => '' } as Request;
    expect(await next.readRequest(empty)).toEqual({ method: 'POST', url, contentType: undefined, body: '' });
    expect(String(await next.readRequest(new Request(url)))).toBe(url);
  });

  test('sends an answer with its cookies and ours', async () => {
    const made = hono.send(ownCookies(), ['c=3']);
    expect([made.status, made.headers.getSetCookie(), await made.text()]).toEqual([201, ['a=1', 'b=2', 'c=3'], 'body']);
    expect(hono.send(redirect).headers.get('location')).toBe(redirect.url);
    expect(next.send).toBe(hono.send);
  });
});

describe('an error', () => {
  test('answers with its code and status, and Retry-After for 503', async () => {
    const refused = next.errorResponse(new SamlError('SAML_REPLAYED', 'used'));
    expect([
      refused.status,
      refused.headers.get('cache-control'),
      refused.headers.get('retry-after'),
      await refused.json(),
    ]).toEqual([new SamlError('SAML_REPLAYED', '').status, 'no-store', null, { error: 'SAML_REPLAYED' }]);
    const outage = next.errorResponse(new SamlError('SAML_STORE_UNAVAILABLE', 'down'));
    expect([outage.status, outage.headers.get('retry-after')]).toEqual([503, '5']);
    const fault = new TypeError('a fault of the caller');
    expect(() => next.errorResponse(fault)).toThrow(fault);
  });
});

test('counts an extra assertion wherever it hides', () => {
  const assertion = `<saml:Assertion xmlns:saml="${ns.saml}"/>`;
  using document = parseUntrusted(Buffer.from(`<r>${assertion}<x>${assertion}</x></r>`));
  expect(() => requireCounts(document.root, { assertions: 1, signatures: 0 })).toThrow(
    refusalIn('SAML_STRUCTURE', /^expected 1 assertions, received 2$/),
  );
  expect(() => requireCounts(document.root, { assertions: 2, signatures: 0 })).not.toThrow();
  expect(() => requireCounts(document.root, { assertions: 2, signatures: 1 })).toThrow(
    refusalIn('SAML_STRUCTURE', /signature is in a place where none/),
  );
});

test('refuses a SAMLRequest in place of a Response by name', async () => {
  const posted = postResponse(buildResponse());
  const body = posted.body.replace('SAMLResponse=', 'SAMLRequest=');
  await expect(createServiceProvider().finishSignIn({ ...posted, body }, pending)).rejects.toThrow(
    refusalIn('SAML_PARAMETER', /^expected a SAMLResponse, received a SAMLRequest$/),
  );
});
