import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { S3Bucket } from '../support/s3-gateway.ts';

const mostListed = 1_000;

/** A bucket behind S3's words in which some objects are locked. It proves no signature: what Ceph's gateway is for. */
export interface LockedBucket extends Pick<S3Bucket, 'env'> {
  readonly keys: Set<string>;
  readonly locked: Set<string>;
  close(): void;
}

export async function startLockedBucket(): Promise<LockedBucket> {
  const keys = new Set<string>();
  const locked = new Set<string>();

  const list = (after: string) => {
    const rest = [...keys].sort().filter(key => key > after);
    const some = rest.slice(0, mostListed);
    const isMore = rest.length > some.length;
    const entries = some
      .map(key => `<Contents><Key>${key}</Key><LastModified>2020-01-01T00:00:00Z</LastModified><Size>5</Size></Contents>`)
      .join('');
    const next = isMore ? `<NextContinuationToken>${some.at(-1)}</NextContinuationToken>` : '';
    return `<ListBucketResult><IsTruncated>${isMore}</IsTruncated>${next}${entries}</ListBucketResult>`;
  };
  const remove = (body: string) => {
    const asked = [...body.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key!);
    for (const key of asked) if (!locked.has(key)) keys.delete(key);
    const errors = asked
      .filter(key => locked.has(key))
      .map(key => `<Error><Key>${key}</Key><Code>AccessDenied</Code><Message>Access Denied</Message></Error>`);
    return `<DeleteResult>${errors.join('')}</DeleteResult>`;
  };

  const server = createServer(async (request, reply) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://bucket');
    const body = Buffer.concat(await request.toArray()).toString();
    if (request.method === 'PUT') keys.add(pathname.replace('/bucket/', ''));
    reply.end(request.method === 'POST' ? remove(body) : list(searchParams.get('continuation-token') ?? ''));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    keys,
    locked,
    env: {
      R2_ENDPOINT: origin,
      R2_ACCESS_KEY_ID: 'AKIATEST',
      R2_SECRET_ACCESS_KEY: 'the-secret-key',
      R2_BUCKET: 'bucket',
      R2_PUBLIC_URL: origin,
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
