import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createS3Store, type S3Options } from '../../src/objects/s3.ts';

const headers = { contentType: 'image/png', cacheControl: 'public, max-age=31536000, immutable' };
const listing = (inner: string) =>
  `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</ListBucketResult>`;

/** What no real store does on command: stumbling, silence, strange answers. */
describe('the S3 store, of an endpoint that', () => {
  let server: Server;
  let answer: RequestListener;
  let asked: string[] = [];
  beforeAll(async () => {
    server = createServer((request, reply) => {
      asked.push(`${request.method} ${request.url}`);
      answer(request, reply);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    asked = [];
    server.closeAllConnections();
  });
  afterAll(() => server.close());

  const open = (options: Partial<S3Options> = {}) =>
    createS3Store({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      bucket: 'bucket',
      accessKeyId: 'AKIATEST',
      secretAccessKey: 'the-secret-key',
      region: 'auto',
      pathStyle: true,
      publicUrl: 'http://images.invalid',
      deadlines: { tries: 3, tryMs: 5_000, pauseMs: 1 },
      ...options,
    });

  it.each([503, 500, 429])('stumbles with %i is asked again', async status => {
    answer = (_, reply) => reply.writeHead(asked.length < 3 ? status : 200).end();
    await open().put('a/b.png', Buffer.from('x'), headers);
    expect(asked).toHaveLength(3);
  });

  it.each(['OperationAborted', 'ConditionalRequestConflict'])('was asked by two at once (409 %s) is asked again', async code => {
    answer = (_, reply) => reply.writeHead(asked.length < 3 ? 409 : 200).end(`<Error><Code>${code}</Code></Error>`);
    await open().put('a/b.png', Buffer.from('x'), headers);
    expect(asked).toHaveLength(3);
  });

  it('refuses with another 409 is not asked again', async () => {
    answer = (_, reply) => reply.writeHead(409).end('<Error><Code>BucketNotEmpty</Code></Error>');
    await expect(open().put('a/b.png', Buffer.from('x'), headers)).rejects.toThrow('put: the store answered 409 BucketNotEmpty');
    expect(asked).toHaveLength(1);
  });

  it('stumbles for ever is given up after three tries', async () => {
    answer = (_, reply) => reply.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
    await expect(open().put('a/b.png', Buffer.from('x'), headers)).rejects.toThrow('put: the store answered 503 SlowDown');
    expect(asked).toHaveLength(3);
  });

  it.each([400, 403, 404, 411, 301])('refuses with %i is not asked again', async status => {
    answer = (_, reply) => reply.writeHead(status, { location: 'http://127.0.0.1:1/elsewhere' }).end();
    await expect(open().put('a/b.png', Buffer.from('x'), headers)).rejects.toThrow(`put: the store answered ${status}`);
    expect(asked).toHaveLength(1);
  });

  it('is silent is given up in time', async () => {
    answer = () => {};
    const store = open({ deadlines: { tries: 2, tryMs: 1_000, pauseMs: 1 } });
    await expect(store.list()).rejects.toMatchObject({ name: 'ObjectStoreFailed', message: 'list: no answer within 1000 ms' });
    expect(asked).toHaveLength(2);
  });

  it('falls silent in the middle of its answer is given up in time', async () => {
    answer = (_, reply) => reply.writeHead(200).write('<ListBucketResult>');
    const store = open({ deadlines: { tries: 1, tryMs: 50, pauseMs: 1 } });
    await expect(store.list()).rejects.toThrow('list: no answer within 50 ms');
  });

  it('is not there is named by what the network says, without its address', async () => {
    const gone = createServer().listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as AddressInfo;
    gone.close();
    await once(gone, 'close');
    const refused = open({ endpoint: `http://127.0.0.1:${port}` }).delete(['a/b.png']);
    await expect(refused).rejects.toMatchObject({
      name: 'ObjectStoreFailed',
      message: 'delete: the store is out of reach (ECONNREFUSED)',
    });
  });

  it('stops trying when the caller does', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    answer = () => stop.abort(reason);
    await expect(open().list(undefined, stop.signal)).rejects.toBe(reason);
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['a friendly page', '<!doctype html><h1>Welcome</h1>'],
    ['nothing', ''],
    ['an error with status 200', '<Error><Code>InternalError</Code></Error>'],
    ['half a listing', listing('<IsTruncated>false</IsTruncated>').slice(0, -5)],
    ['a listing that does not say whether it goes on', listing('')],
    ['a listing that goes on nowhere', listing('<IsTruncated>true</IsTruncated>')],
    ['an object without a time', listing('<IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>1</Size></Contents>')],
  ])('answers %s to a listing has listed nothing: that is an error', async (_, text) => {
    answer = (_request, reply) => reply.writeHead(200).end(text);
    await expect(open().list()).rejects.toThrow('list: the store answered something else than asked for');
  });

  it.each([
    ['a friendly page', '<!doctype html><h1>Welcome</h1>'],
    ['nothing', ''],
    ['half an answer', '<DeleteResult xmlns="x">'],
    ['an answer cut off in its error', '<DeleteResult xmlns="x"><Error><Key>a/b.png</Key><Code>Acc'],
    ['an answer cut off after an element', '<DeleteResult xmlns="x"><Error><Key>a/b.png</Key><VersionId/>'],
  ])('answers %s to a deletion has deleted nothing', async (_, text) => {
    answer = (_request, reply) => reply.writeHead(200).end(text);
    await expect(open().delete(['a/b.png'])).rejects.toThrow('delete: the store answered something else than asked for');
  });

  it('deletes some and not others fails, and one that was gone already counts as deleted', async () => {
    const error = (code: string) => `<Error><Key>a/b.png</Key><Code>${code}</Code><Message>m</Message></Error>`;
    answer = (_, reply) => reply.end(`<DeleteResult xmlns="x">${error('NoSuchKey')}</DeleteResult>`);
    await open().delete(['a/b.png']);
    answer = (_, reply) => reply.end(`<DeleteResult xmlns="x">${error('NoSuchKey')}${error('AccessDenied')}</DeleteResult>`);
    await expect(open().delete(['a/b.png', 'c/d.png'])).rejects.toThrow('delete: 1 objects stayed, the first for AccessDenied');
  });

  it('wants the digest of a deletion gets the right one', async () => {
    let digests: unknown[] = [];
    answer = async (request, reply) => {
      const body = Buffer.concat(await request.toArray());
      digests = [request.headers['content-md5'], createHash('md5').update(body).digest('base64')];
      reply.end('<DeleteResult/>');
    };
    await open().delete(['a/b.png', 'a/<&>"\u{1F600}.png']);
    expect(digests[0]).toBe(digests[1]);
  });

  it('hands out the same place again does not keep us busy for ever', async () => {
    const next = '<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>';
    answer = (_, reply) => reply.end(listing(next));
    expect(await open().list()).toEqual({ objects: [], next: 'again' });
    await expect(open().list('again')).rejects.toThrow('list: the store does not move on');
  });

  it('lists names that XML cannot hold', async () => {
    const entry = (key: string) =>
      `<Contents><Key>${key}</Key><LastModified>2026-03-01T12:00:00.000Z</LastModified><Size>7</Size></Contents>`;
    const list = (inner: string) => {
      answer = (_, reply) => reply.end(listing(`<IsTruncated>false</IsTruncated>${inner}`));
      return open().list();
    };
    const modifiedAt = Date.parse('2026-03-01T12:00:00Z');
    const encoded = await list(`<EncodingType>url</EncodingType>${entry('a%01b+%26')}${entry('100%')}`);
    expect(encoded.objects).toEqual(['a\u0001b &', '100%'].map(key => ({ key, bytes: 7, modifiedAt })));
    const plain = await list(`${entry('a&amp;b&#x1F600;&#60;+')}`);
    expect(plain.objects).toEqual([{ key: 'a&b\u{1F600}<+', bytes: 7, modifiedAt }]);
  });

  it('has its bucket in the name of the host, or in the path, also below a path of its own', async () => {
    const seen: (string | undefined)[] = [];
    const fetching = async (url: unknown) => {
      seen.push(String(url));
      return new Response('');
    };
    const put = (options: Partial<S3Options>) =>
      open({ fetch: fetching as typeof fetch, ...options }).put('a/b.png', Buffer.from('x'), headers);
    await put({ endpoint: 'https://s3.eu-central-1.amazonaws.com', pathStyle: false });
    await put({ endpoint: 'https://s3.example', pathStyle: true });
    await put({ endpoint: 'https://db.example/storage/v1/s3', pathStyle: true });
    expect(seen).toEqual([
      'https://bucket.s3.eu-central-1.amazonaws.com/a/b.png',
      'https://s3.example/bucket/a/b.png',
      'https://db.example/storage/v1/s3/bucket/a/b.png',
    ]);
  });
});
