import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ObjectStore } from '../../src/objects/object-store.ts';
import { type S3Bucket, type S3Gateway, s3GatewayMissing, startS3Gateway } from '../support/s3-gateway.ts';
import { objectStoreContract } from './object-store.contract.ts';
import { openBucket, sendRaw } from './open-bucket.ts';

const headers = { contentType: 'image/png', cacheControl: 'public, max-age=31536000, immutable' };
const key = '0123456789abcdef/00112233445566778899aabbccddeeff.png';

describe.skipIf(s3GatewayMissing)("the object store on Ceph's gateway", () => {
  let gateway: S3Gateway;
  let bucket: S3Bucket;
  let store: ObjectStore;
  beforeAll(async () => {
    gateway = await startS3Gateway();
    bucket = await gateway.createBucket();
    store = openBucket(bucket);
  });
  afterAll(() => gateway?.stop());

  describe('as every object store', () => {
    objectStoreContract(() => ({
      store,
      async fetch(wanted) {
        const answer = await fetch(store.publicUrl(wanted));
        if (answer.status === 404 || answer.status === 403) return undefined;
        expect(answer.status).toBe(200);
        const { 'content-type': contentType = '', 'cache-control': cacheControl = '' } = Object.fromEntries(answer.headers);
        return { bytes: new Uint8Array(await answer.arrayBuffer()), headers: { contentType, cacheControl } };
      },
    }));
  });

  it('is refused without a Content-Length, by 411, and so sends it always', async () => {
    const refused = await sendRaw(gateway, bucket, { key, chunked: true });
    expect(refused).toMatch(/^HTTP\/1\.1 411 /);
    expect(refused).toContain('MissingContentLength');
    expect(await sendRaw(gateway, bucket, { key, chunked: false })).toMatch(/^HTTP\/1\.1 200 /);
    await store.put(key, Buffer.from('four'), headers);
  });

  it.each([
    [
      'a wrong secret',
      { R2_SECRET_ACCESS_KEY: 'not the secret' },
      /^(put|list|delete): the store answered 403 SignatureDoesNotMatch$/,
    ],
    ['an unknown key id', { R2_ACCESS_KEY_ID: 'AKIANOBODY' }, /^(put|list|delete): the store answered 403 InvalidAccessKeyId$/],
    ['a bucket that is not there', { R2_BUCKET: 'octavo-nowhere' }, /^(put|list|delete): the store answered 404 NoSuchBucket$/],
  ])('fails with %s, at every door, and tells the reason without a secret', async (_, wrong, message) => {
    const stranger = openBucket({ ...bucket, env: { ...bucket.env, ...wrong } });
    const doors = [() => stranger.put(key, Buffer.from('x'), headers), () => stranger.list(), () => stranger.delete([key])];
    for (const door of doors) {
      const error = await door().then(
        () => undefined,
        (failed: Error) => failed,
      );
      expect(error).toMatchObject({ name: 'ObjectStoreFailed', message: expect.stringMatching(message) });
      const everything = JSON.stringify([error?.message, error?.stack, error?.cause]);
      for (const secret of [bucket.env.R2_SECRET_ACCESS_KEY, 'not the secret', 'AWS4-HMAC'])
        expect(everything).not.toContain(secret);
    }
  });
});
