import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerErrors } from '../refusals.ts';
import { isForm, readBodies } from './bodies.ts';

let app: FastifyInstance;
beforeAll(async () => {
  app = Fastify();
  readBodies(app);
  answerErrors(app, (reply, code, detail) => reply.code(400).send({ code, detail }));
  app.post('/', async request => ({ body: request.body ?? null, isForm: isForm(request) }));
  app.post('/form', { config: { accepts: 'form' } }, async request => ({ body: request.body, isForm: isForm(request) }));
  await app.ready();
});
afterAll(() => app.close());

async function send(type: string, payload: string | Buffer, url = '/') {
  return (await app.inject({ method: 'POST', url, payload, headers: { 'content-type': type } })).json();
}
const latin = Buffer.from('gr\xfc\xdfe', 'latin1');
const badUtf8 = { code: 'bad_request', detail: 'The body is not valid UTF-8.' };

describe('a JSON body', () => {
  it.each(['', '; charset=utf-8', '; charset=UTF8', '; charset="utf-8"', ';charset = us-ascii', '; boundary=x; Charset=utf-8'])(
    'is read as UTF-8: "%s"',
    async parameters => {
      expect(await send(`application/json${parameters}`, '{"word":"grüße"}')).toEqual({
        body: { word: 'grüße' },
        isForm: false,
      });
    },
  );

  it.each(['latin1', 'utf-16', 'xutf-8', 'utf-8x', 'xus-ascii'])('in another charset is refused by its name: %s', async name => {
    expect(await send(`application/json; charset=${name}`, '{}')).toEqual({
      code: 'unsupported_media_type',
      detail: `The body must be UTF-8, not ${name}.`,
    });
  });

  it('of megabytes is read as a short one is, in turns of the event loop', async () => {
    const body = { text: 'long '.repeat(60_000), more: [1, 2] };
    let [turns, open] = [0, true];
    const count = () => {
      turns += 1;
      if (open) setImmediate(count);
    };
    const asked = send('application/json', JSON.stringify(body));
    setImmediate(count);
    expect(await asked).toEqual({ body, isForm: false });
    open = false;
    expect(turns).toBeGreaterThan(3);
    expect(await send('application/json', `{"text":"${'long '.repeat(60_000)}"`)).toEqual({
      code: 'bad_request',
      detail: 'The body is not valid JSON.',
    });
  });
});

describe('a body with a content coding', () => {
  const encoded = (type: string, coding: string, url = '/') =>
    app.inject({ method: 'POST', url, payload: '{"a":1}', headers: { 'content-type': type, 'content-encoding': coding } });

  it.each([
    ['application/json', '/'],
    ['text/plain', '/'],
    ['application/x-www-form-urlencoded', '/form'],
  ])('is refused by the name of the coding, and told from a wrong type: %s', async (type, url) => {
    const answer = await encoded(type, 'gzip', url);
    expect(answer.json()).toEqual({
      code: 'unsupported_media_type',
      detail: 'Send the body as it is, without Content-Encoding: gzip.',
    });
    expect(answer.headers['accept-encoding']).toBe('identity');
    const latin1 = await app.inject({
      method: 'POST',
      url: '/',
      payload: 'a',
      headers: { 'content-type': 'text/plain;charset=x' },
    });
    expect(latin1.headers).not.toHaveProperty('accept-encoding');
  });

  it('is read when the coding is none', async () => {
    expect((await encoded('application/json', 'Identity')).json().body).toEqual({ a: 1 });
  });
});

describe('a text body', () => {
  it.each(['text/markdown', 'text/plain; charset=utf-8'])('is taken as it is: %s', async type => {
    expect(await send(type, '# grüße\r\n')).toEqual({ body: '# grüße\r\n', isForm: false });
  });

  it('is refused in another charset, with bytes that are no UTF-8, and with a NUL', async () => {
    expect(await send('text/markdown; charset=latin1', latin)).toEqual({
      code: 'unsupported_media_type',
      detail: 'The body must be UTF-8, not latin1.',
    });
    expect(await send('text/plain', latin)).toEqual(badUtf8);
    expect(await send('text/plain', 'a\0b')).toEqual({ code: 'bad_request', detail: 'The body holds a NUL character.' });
  });
});

describe('a form', () => {
  const type = 'application/x-www-form-urlencoded';

  it('is taken where a page posts one; of a field that is there twice the last counts', async () => {
    expect(await send(type, 'a=1&b=gr%C3%BC%C3%9Fe+x&a=2', '/form')).toEqual({ body: { a: '2', b: 'grüße x' }, isForm: true });
  });

  it('is refused anywhere else, past its bound, and with a NUL', async () => {
    expect(await send(type, 'a=1')).toEqual({
      code: 'unsupported_media_type',
      detail: 'Forms are not supported here. Send application/json or text/markdown.',
    });
    expect((await send(type, `a=${'x'.repeat(65_536)}`, '/form')).code).toBe('too_large');
    expect((await send(type, `a=${'x'.repeat(65_534)}`, '/form')).body.a).toHaveLength(65_534);
    expect(await send(type, 'a=1&b=%00', '/form')).toEqual({ code: 'bad_request', detail: 'The form holds a NUL character.' });
    expect(await send(type, latin, '/form')).toEqual(badUtf8);
  });

  it.each(['gr%FC%DFe', '%C3', 'a%C3x', '%ED%A0%80', '%c0%80', '%F4%90%80%80'])(
    'is refused when its percents spell no UTF-8: %s',
    async value => {
      const refused = { code: 'bad_request', detail: 'The form is not valid UTF-8.' };
      expect(await send(type, `a=${value}`, '/form')).toEqual(refused);
      expect(await send(type, `${value}=a`, '/form')).toEqual(refused);
    },
  );

  it('may hold any character, and a percent that begins no escape', async () => {
    const text = 'grüße 日本 \u{1F600} \u{FFFD} \u{10FFFF}';
    expect((await send(type, `a=${encodeURIComponent(text)}`, '/form')).body).toEqual({ a: text });
    expect((await send(type, 'a=100%&b=%zz%4', '/form')).body).toEqual({ a: '100%', b: '%zz%4' });
  });
});

it.each(['application/xml', 'multipart/form-data; boundary=x', 'application/octet-stream'])('refuses %s', async type => {
  expect((await send(type, '<a/>')).code).toBe('unsupported_media_type');
});
