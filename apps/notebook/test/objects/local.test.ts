import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ObjectStore } from '../../src/objects/object-store.ts';
import { type LocalS3, startLocalS3 } from '../support/local-s3.ts';
import type { S3Bucket } from '../support/s3-gateway.ts';
import { objectStoreContract } from './object-store.contract.ts';
import { openBucket, sendRaw } from './open-bucket.ts';

const headers = { contentType: 'image/png', cacheControl: 'public, max-age=31536000, immutable' };
const key = '0123456789abcdef/00112233445566778899aabbccddeeff.png';

describe('the object store on a local S3 server', () => {
  let local: LocalS3;
  let bucket: S3Bucket;
  let store: ObjectStore;
  beforeAll(async () => {
    local = await startLocalS3();
    bucket = await local.createBucket();
    store = openBucket(bucket);
  });
  afterAll(() => local.stop());

  describe('as every object store', () => {
    objectStoreContract(() => ({
      store,
      async fetch(wanted) {
        const answer = await fetch(store.publicUrl(wanted));
        if (answer.status === 404) return undefined;
        const { 'content-type': contentType = '', 'cache-control': cacheControl = '' } = Object.fromEntries(answer.headers);
        return { bytes: new Uint8Array(await answer.arrayBuffer()), headers: { contentType, cacheControl } };
      },
    }));
  });

  // Spec 1 §2 "Image pipeline": some stores answer 411 to an upload that does not say how long it is.
  it.each([0, 1, 4, 70_000, 3_000_000])('an upload of %i bytes says its length and is not sent in chunks', async bytes => {
    await store.put(key, Buffer.alloc(bytes, 'x'), headers);
    const sent = local.requests.at(-1)!;
    expect(sent).toMatchObject({ method: 'PUT', bytes });
    expect(sent.headers['content-length']).toBe(String(bytes));
    expect(sent.headers).not.toHaveProperty('transfer-encoding');
  });

  it('a deletion says its length too', async () => {
    await store.delete([key, `${key}x`]);
    const sent = local.requests.at(-1)!;
    expect(sent).toMatchObject({ method: 'POST', url: expect.stringContaining('delete') });
    expect(sent.headers['content-length']).toBe(String(sent.bytes));
    expect(sent.bytes).toBeGreaterThan(key.length);
    expect(sent.headers).not.toHaveProperty('transfer-encoding');
  });

  it('one that does not say its length is refused', async () => {
    expect(await sendRaw(local, bucket, { key, chunked: true })).toMatch(/^HTTP\/1\.1 411 /);
    expect(await sendRaw(local, bucket, { key, chunked: false })).toMatch(/^HTTP\/1\.1 200 /);
  });
});
