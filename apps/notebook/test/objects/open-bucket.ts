import { once } from 'node:events';
import { connect } from 'node:net';
import { AwsV4Signer } from 'aws4fetch';
import { readConfig } from '../../src/config.ts';
import type { ObjectStore } from '../../src/objects/object-store.ts';
import { createS3Store, type S3Options } from '../../src/objects/s3.ts';
import type { S3Bucket, S3Gateway } from '../support/s3-gateway.ts';

/** The store as the service makes it of its configuration. */
export function openBucket({ env }: Pick<S3Bucket, 'env'>, options: Partial<S3Options> = {}): ObjectStore {
  const { images } = readConfig(env);
  if (images.kind !== 'on') throw new Error(`not configured: ${JSON.stringify(images)}`);
  return createS3Store({ ...images.store, ...options });
}

/** An upload over a bare socket, for what no client sends: with its length, or in chunks. Answers all that came back. */
export async function sendRaw(
  gateway: S3Gateway,
  { name, env }: S3Bucket,
  { key, chunked }: { readonly key: string; readonly chunked: boolean },
): Promise<string> {
  const url = new URL(`${gateway.endpoint}/${name}/${key}`);
  const { headers } = await new AwsV4Signer({
    method: 'PUT',
    url: url.href,
    headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    service: 's3',
    region: 'auto',
    accessKeyId: env.R2_ACCESS_KEY_ID,
    secretAccessKey: env.R2_SECRET_ACCESS_KEY,
  }).sign();
  const length = chunked ? 'transfer-encoding: chunked' : 'content-length: 4';
  const lines = [...headers].map(([header, value]) => `${header}: ${value}`);
  const head = [`PUT ${url.pathname} HTTP/1.1`, `host: ${url.host}`, 'connection: close', length, ...lines].join('\r\n');
  const socket = connect(Number(url.port), url.hostname);
  let answer = '';
  socket.on('data', chunk => (answer += chunk));
  socket.write(`${head}\r\n\r\n${chunked ? '4\r\nfour\r\n0\r\n\r\n' : 'four'}`);
  await once(socket, 'close');
  return answer;
}
