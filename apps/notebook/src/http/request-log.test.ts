import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { logRequests, redactedPath, requestLine, warnOfUntrustedProxy } from './request-log.ts';

const token = `${'aB3-_'.repeat(8)}xyz`;

describe('a path as logs may know it', () => {
  it.each([
    [`/e/${token}`, '/e/[edit-token]'],
    [`/e/${token}/print?x=1`, '/e/[edit-token]/print'],
    [`/e/%61${token}`, '/e/[edit-token]'],
    [`/n/${token}`, '/n/[slug]'],
    [`/somewhere/${token}`, '/somewhere/[edit-token]'],
    [`/?token=${token}`, '/'],
    ['/n/my-notes/print', '/n/[slug]/print'],
    ['/%6e/my-notes', '/n/[slug]'],
    ['/%65/short', '/e/[edit-token]'],
    ['/n/%zz', '/n/[slug]'],
    ['/edit/my-notes', '/edit/[slug]'],
    ['/api/notebooks/my-notes/pages/abc', '/api/notebooks/[slug]/pages/abc'],
    ['/api/slugs/my-notes', '/api/slugs/[slug]'],
    ['/api/notebooks', '/api/notebooks'],
    ['/quick', '/quick'],
    [`/somewhere/${token.slice(1)}`, `/somewhere/${token.slice(1)}`],
    ['/x/n/my-notes', '/x/n/my-notes'],
    ['/x/e/short', '/x/e/short'],
    ['/n/my-notes#part', '/n/[slug]'],
    ['/n/my-notes/p/salary-talk', '/n/[slug]/p/[page]'],
    ['/n/my-notes/p/%E8%A8%88%E7%94%BB/x', '/n/[slug]/p/[page]/x'],
    ['/n/my-notes/p/', '/n/[slug]/p/'],
    ['/x/n/[slug]/p/salary-talk', '/x/n/[slug]/p/salary-talk'],
    [`/images/${'0f'.repeat(16)}/${'a1'.repeat(16)}.webp?x=1`, '/images/[image]'],
    [`/%69mages/${'0f'.repeat(16)}/${'a1'.repeat(16)}.webp`, '/images/[image]'],
    ['/images', '/images'],
    ['/x/images/photo.png', '/x/images/photo.png'],
    ['/n', '/n'],
    ['//n/my-notes', '//n/[slug]'],
    ['/n//my-notes/p//salary-talk', '/n/[slug]/p/[page]'],
    ['/N/my-notes', '/N/[slug]'],
    ['//api//notebooks//my-notes/pages/abc', '//api//notebooks/[slug]/pages/abc'],
    ['//e//short/print', '//e/[edit-token]/print'],
    ['//images/photo.png', '//images/[image]'],
  ])('%s', (path, logged) => expect(redactedPath(path)).toBe(logged));
});

describe('the log of requests', () => {
  let app: FastifyInstance;
  afterEach(() => app.close());

  function open(level: string, trustProxy: boolean | string = false) {
    const lines: Record<string, unknown>[] = [];
    const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
    app = Fastify({ logger: { level, stream }, logController: new LogController({ disableRequestLogging: true }), trustProxy });
    logRequests(app);
    warnOfUntrustedProxy(app);
    app.get('/n/:slug', async (_, reply) => reply.code(203).send('here'));
    const ask = (headers: Record<string, string> = {}) => app.inject({ url: '/n/my-notes?x=1', headers });
    return { lines, ask };
  }

  it('says what was asked and answered, and neither slug nor query nor address', async () => {
    const { lines, ask } = open('info');
    await ask();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ msg: 'request', method: 'GET', path: '/n/[slug]', status: 203, ms: expect.any(Number) });
    expect(JSON.stringify(lines)).not.toMatch(/my-notes|x=1|127\.0\.0\.1/);
  });

  it('is silent where nobody wants it', async () => {
    const { lines, ask } = open('warn');
    await ask();
    expect(lines).toEqual([]);
  });

  it('warns once of a proxy that nobody told us of', async () => {
    const { lines, ask } = open('warn');
    for (let count = 0; count < 3; count++) await ask({ 'x-forwarded-for': '203.0.113.7' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      peer: '127.0.0.1',
      msg: expect.stringMatching(/^X-Forwarded-For from a peer .* set TRUST_PROXY /),
    });
  });

  it('warns of no proxy that is trusted', async () => {
    const { lines, ask } = open('warn', '127.0.0.1');
    await ask({ 'x-forwarded-for': '203.0.113.7' });
    expect(lines).toEqual([]);
  });

  it('warns of another one than is trusted', async () => {
    const { lines, ask } = open('warn', '10.0.0.1');
    await ask({ 'x-forwarded-for': '203.0.113.7' });
    expect(lines).toHaveLength(1);
  });
});

it('a line counts tenths of milliseconds', () => {
  expect(requestLine('GET', '/n/a', 200, 12.3456)).toEqual({ method: 'GET', path: '/n/[slug]', status: 200, ms: 12.3 });
});
