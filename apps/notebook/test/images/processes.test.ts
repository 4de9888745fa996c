import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type Database, postgres } from '../support/engines.ts';
import { type S3Bucket, type S3Gateway, s3GatewayMissing, startS3Gateway } from '../support/s3-gateway.ts';
import { createThrough, type Made, type ServiceProcess, startService } from '../support/service-process.ts';
import { anAnimation, aPicture, aTellingPicture, secrets } from './pictures.ts';
import { addRecords } from './upload.ts';

describe.skipIf(s3GatewayMissing)("two processes on one PostgreSQL and Ceph's gateway", () => {
  let gateway: S3Gateway;
  let bucket: S3Bucket;
  let database: Database;
  let store: Store;
  let services: ServiceProcess[] = [];
  beforeAll(async () => {
    database = await postgres.createDatabase();
    gateway = await startS3Gateway();
    bucket = await gateway.createBucket();
    const env = { DATABASE_URL: database.url, RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1', ...bucket.env };
    services = await Promise.all([startService(env), startService(env)]);
    store = createStore(database.url);
  });
  afterAll(async () => {
    await store?.close();
    await Promise.all(services.map(service => service.kill()));
    await gateway?.stop();
    database?.remove();
  });

  let addresses = 0;
  const anAddress = () => `198.51.100.${++addresses}`;
  const create = () => createThrough(services[0]!.origin);
  const send = (turn: number, { slug, editToken }: Made, body: Buffer, address: string) =>
    fetch(`${services[turn % 2]!.origin}/api/notebooks/${slug}/images`, {
      method: 'POST',
      headers: { 'x-edit-token': editToken, 'x-forwarded-for': address },
      body: new Uint8Array(body),
    });
  const tally = (answers: readonly Response[]) => {
    const groups = Object.groupBy(answers, answer => String(answer.status));
    return Object.fromEntries(Object.entries(groups).map(([status, all]) => [status, all!.length]));
  };
  const objectsOf = async (slug: string) => objectsIn((await store.findNotebookBySlug(slug))!.id);
  const objectsIn = async (id: string) => {
    const listing = await (await gateway.send('GET', `/${bucket.name}?list-type=2&prefix=${id}%2F`)).text();
    return [...listing.matchAll(/<Key>(.*?)<\/Key>/g)].map(match => match[1]);
  };

  it('an image is stored with its headers and without its secrets, fetched by its address, and gone with its notebook', async () => {
    const made = await create();
    const sent = await aTellingPicture('jpeg');
    const answer = await send(0, made, sent, anAddress());
    expect(answer.status).toBe(201);
    const { id, url, width, height } = (await answer.json()) as { id: string; url: string; width: number; height: number };
    expect([width, height]).toEqual([32, 48]);
    const { id: notebookId } = (await store.findNotebookBySlug(made.slug))!;
    expect(url).toBe(`${bucket.publicUrl}/${notebookId}/${id}.jpg`);
    const fetched = await fetch(url);
    const bytes = Buffer.from(await fetched.arrayBuffer());
    expect([fetched.headers.get('content-type'), fetched.headers.get('cache-control')]).toEqual([
      'image/jpeg',
      'public, max-age=31536000, immutable',
    ]);
    for (const secret of secrets) expect(bytes.includes(secret)).toBe(false);

    const animation = await anAnimation('gif');
    const animated = (await (await send(1, made, animation, anAddress())).json()) as { url: string };
    expect(Buffer.from(await (await fetch(animated.url)).arrayBuffer()).equals(animation)).toBe(true);

    expect(await objectsOf(made.slug)).toHaveLength(2);
    const deleted = await fetch(`${services[1]!.origin}/api/notebooks/${made.slug}`, {
      method: 'DELETE',
      headers: { 'x-edit-token': made.editToken },
    });
    expect(deleted.status).toBe(200);
    expect(await objectsIn(notebookId)).toEqual([]);
    // Who may not list a bucket is not told that something is missing either.
    for (const address of [url, animated.url]) expect([403, 404]).toContain((await fetch(address)).status);
  });

  it('5 of 80 uploads at once find room beside 45 images', async () => {
    const made = await create();
    await addRecords(store, made.slug, made.editToken, 45);
    const body = await aPicture('png');
    const answers = await Promise.all(Array.from({ length: 80 }, (_, turn) => send(turn, made, body, `203.0.113.${turn}`)));
    expect(tally(answers)).toEqual({ 201: 5, 409: 75 });
    expect(await objectsOf(made.slug)).toHaveLength(5);
  });

  it('60 of 80 uploads at once from one address are let through, over four notebooks', async () => {
    const notebooks = await Promise.all(Array.from({ length: 4 }, create));
    const [body, address] = [await aPicture('webp'), anAddress()];
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, turn) => send(turn, notebooks[(turn >> 1) % 4]!, body, address)),
    );
    expect(tally(answers)).toEqual({ 201: 60, 429: 20 });
    const stored = await Promise.all(notebooks.map(({ slug }) => objectsOf(slug)));
    expect(stored.flat()).toHaveLength(60);
  });
});
