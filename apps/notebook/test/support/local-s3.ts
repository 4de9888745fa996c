import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AwsV4Signer } from 'aws4fetch';
import type { S3Bucket, S3Gateway } from './s3-gateway.ts';

/** One request as it arrived. */
export interface Recorded {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
}

export interface LocalS3 extends S3Gateway {
  readonly requests: readonly Recorded[];
}

interface Stored {
  readonly bytes: Buffer;
  readonly type: string;
  readonly cacheControl: string | undefined;
  readonly at: Date;
}

const account = { accessKeyId: 'AKIALOCALSTORE', secretAccessKey: 'a-secret-of-the-local-store', region: 'auto', service: 's3' };

/**
 * S3 in this process, in memory: ready at once, needs nothing installed, and records requests. Like AWS, it refuses a body without
 * Content-Length (411) and unsigned requests (403), but accepts any signature with the right key id. Everything beyond that is tested on
 * Ceph's gateway (`s3-gateway.ts`).
 */
export async function startLocalS3(): Promise<LocalS3> {
  const store = new LocalStore();
  let server = await listen(store, 0);
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const send: S3Gateway['send'] = async (method, path, { headers = {}, body } = {}) => {
    const signed = await new AwsV4Signer({ method, url: endpoint + path, headers, body: body ?? null, ...account }).sign();
    return fetch(signed.url, { method, headers: signed.headers, ...(body === undefined ? {} : { body }) });
  };
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  return {
    endpoint,
    send,
    requests: store.requests,
    async createBucket(): Promise<S3Bucket> {
      const name = `octavo-${randomBytes(6).toString('hex')}`;
      store.buckets.set(name, { objects: new Map(), anyOrigin: false });
      const publicUrl = `${endpoint}/${name}`;
      return {
        name,
        publicUrl,
        env: {
          R2_ENDPOINT: endpoint,
          R2_ACCESS_KEY_ID: account.accessKeyId,
          R2_SECRET_ACCESS_KEY: account.secretAccessKey,
          R2_BUCKET: name,
          R2_PUBLIC_URL: publicUrl,
        },
      };
    },
    kill: stop,
    async revive() {
      server = await listen(store, port);
    },
    stop,
  };
}

async function listen(store: LocalStore, port: number): Promise<Server> {
  const server = createServer((request, reply) => void store.answer(request, reply)).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

class LocalStore {
  readonly buckets = new Map<string, { readonly objects: Map<string, Stored>; anyOrigin: boolean }>();
  readonly requests: Recorded[] = [];

  async answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { method = 'GET', url = '/', headers } = request;
    this.requests.push({ method, url, headers, bytes: body.byteLength });
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const [, bucketName = '', ...rest] = pathname.split('/');
    const key = decodeURIComponent(rest.join('/'));
    const bucket = this.buckets.get(bucketName);
    const refuse = (status: number, code: string) =>
      reply.writeHead(status, { 'content-type': 'application/xml' }).end(`<Error><Code>${code}</Code></Error>`);

    if (!bucket) return void refuse(404, 'NoSuchBucket');
    if (bucket.anyOrigin) reply.setHeader('access-control-allow-origin', '*');
    if ((method === 'GET' || method === 'HEAD') && key !== '') {
      const found = bucket.objects.get(key);
      if (!found) return void refuse(404, 'NoSuchKey');
      reply.setHeader('content-type', found.type);
      if (found.cacheControl) reply.setHeader('cache-control', found.cacheControl);
      return void reply.end(method === 'HEAD' ? undefined : found.bytes);
    }
    if (!headers.authorization?.includes(`Credential=${account.accessKeyId}/`)) return void refuse(403, 'AccessDenied');
    if (method === 'PUT' || method === 'POST') {
      if (headers['content-length'] === undefined) return void refuse(411, 'MissingContentLength');
    }
    if (method === 'PUT' && key !== '') {
      const { 'content-type': type = 'binary/octet-stream', 'cache-control': cacheControl } = headers;
      bucket.objects.set(key, { bytes: body, type, cacheControl, at: new Date() });
      return void reply.end();
    }
    if (method === 'PUT' && searchParams.has('cors')) {
      bucket.anyOrigin = true;
      return void reply.end();
    }
    if (method === 'POST' && searchParams.has('delete')) {
      if (headers['content-md5'] !== createHash('md5').update(body).digest('base64')) return void refuse(400, 'BadDigest');
      for (const [, deleted] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) bucket.objects.delete(deleted!);
      return void reply.end('<DeleteResult></DeleteResult>');
    }
    if (method === 'GET') return void reply.end(listing(bucket.objects, searchParams));
    refuse(405, 'MethodNotAllowed');
  }
}

function listing(objects: ReadonlyMap<string, Stored>, query: URLSearchParams): string {
  const after = query.get('continuation-token') ?? '';
  const most = Number(query.get('max-keys') ?? 1_000);
  const keys = [...objects.keys()].sort().filter(key => key > after);
  const shown = keys.slice(0, most);
  const entries = shown.map(key => {
    const { bytes, at } = objects.get(key)!;
    return `<Contents><Key>${encodeURIComponent(key)}</Key><Size>${bytes.byteLength}</Size><LastModified>${at.toISOString()}</LastModified></Contents>`;
  });
  const more = keys.length > shown.length;
  const next = more ? `<NextContinuationToken>${shown.at(-1)}</NextContinuationToken>` : '';
  return `<ListBucketResult><EncodingType>url</EncodingType>${entries.join('')}<IsTruncated>${more}</IsTruncated>${next}</ListBucketResult>`;
}
