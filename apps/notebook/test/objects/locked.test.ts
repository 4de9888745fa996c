import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { job } from '../../src/commands/job.ts';
import { objectKey } from '../../src/model/image.ts';
import { deleteQueuedObjects } from '../../src/operations/delete-queued-objects.ts';
import { describeSweep, sweepOrphanImages } from '../../src/operations/sweep-orphan-images.ts';
import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { addMany } from '../store/contract/images.ts';
import { day, make, minute, newId } from '../store/contract/subject.ts';
import { type Database, sqlite } from '../support/engines.ts';
import { startNotebookApp } from '../support/notebook-app.ts';
import { type S3Bucket, type S3Gateway, s3GatewayMissing, startS3Gateway } from '../support/s3-gateway.ts';
import { type LockedBucket, startLockedBucket } from './locked-bucket.ts';
import { openBucket } from './open-bucket.ts';

const keyIn = (notebookId: string) => objectKey(notebookId, newId(), 'webp');
const orphan = () => keyIn(newId());

describe('objects that the store does not delete', () => {
  let bucket: LockedBucket;
  let database: Database;
  let store: Store;
  beforeEach(async () => {
    bucket = await startLockedBucket();
    database = await sqlite.createDatabase();
    store = createStore(database.url);
    await store.migrate();
  });
  afterEach(async () => {
    await store.close();
    database.remove();
    bucket.close();
  });

  const sweep = (options = {}) => sweepOrphanImages({ store, objects: openBucket(bucket), now: Date.now }, options);
  async function fill({ living, orphans }: { living: number; orphans: number }): Promise<string[]> {
    const { notebook } = await make(store);
    for (let count = 0; count < living; count++) bucket.keys.add(keyIn(notebook.id));
    const keys = Array.from({ length: orphans }, orphan).sort();
    for (const key of keys) bucket.keys.add(key);
    return keys;
  }

  it('keep none of the others, on this page of the store or the next; the sweep says which they are, and tries again', async () => {
    const orphans = await fill({ living: 2_000, orphans: 1_200 });
    const stuck = [orphans[0]!, orphans.at(-1)!];
    for (const key of stuck) bucket.locked.add(key);
    const swept = await sweep();
    expect(swept).toMatchObject({ kind: 'swept', counts: { living: 2_000, orphans: 1_200 } });
    expect(swept).toMatchObject({ stayed: { count: 2, keys: stuck, reason: 'AccessDenied' } });
    expect(describeSweep(swept)).toBe(
      'Found 1200 image objects without a notebook (6000 bytes), and deleted all but 2: the image store refused (AccessDenied) to delete ' +
        `${stuck.join(', ')}. The next sweep tries again. Left 2000 of notebooks, 0 younger than a day, 0 under keys that are not ours.`,
    );
    expect(orphans.filter(key => bucket.keys.has(key))).toEqual(stuck);
    expect(await sweep()).toMatchObject({ counts: { orphans: 2 }, stayed: { count: 2 } });
    bucket.locked.clear();
    expect(await sweep()).toEqual({ kind: 'swept', counts: expect.objectContaining({ orphans: 2 }) });
    expect(bucket.keys.size).toBe(2_000);
  });

  it('are named up to ten, and count for the bound: more than half refuses', async () => {
    const orphans = await fill({ living: 12, orphans: 12 });
    for (const key of orphans) bucket.locked.add(key);
    const swept = await sweep();
    expect(swept).toMatchObject({ kind: 'swept', stayed: { count: 12, keys: orphans.slice(0, 10) } });
    expect(describeSweep(swept)).toContain(`${orphans[9]}, …. The next`);
    bucket.keys.add(orphan());
    expect(await sweep()).toMatchObject({ kind: 'refused', why: '13 of 25 objects would go, more than half' });
  });

  it('end the command with 1, and what it could not delete', async () => {
    const [stuck = '', goes = ''] = await fill({ living: 3, orphans: 2 });
    bucket.locked.add(stuck);
    const printed: string[] = [];
    const terminal = {
      env: { DATABASE_URL: database.url, ...bucket.env },
      print: (text: string) => printed.push(text),
      complain: () => {},
    };
    await expect(job.run(['sweep'], terminal)).rejects.toMatchObject({
      name: 'CommandFailed',
      message: expect.stringContaining(`deleted all but 1: the image store refused (AccessDenied) to delete ${stuck}.`),
    });
    expect(bucket.keys.has(goes)).toBe(false);
    bucket.locked.clear();
    expect(await job.run(['sweep'], terminal)).toBe(0);
    expect(printed).toEqual([expect.stringMatching(/^Deleted 1 image objects/)]);
  });

  it('are an error in the log of the schedule, whose run is done', async () => {
    const app = await startNotebookApp({
      env: { ...bucket.env, LOG_LEVEL: 'silent' },
      overrides: { objects: openBucket(bucket) },
    });
    const { notebook } = await make(app.parts.store);
    for (let count = 0; count < 3; count++) bucket.keys.add(keyIn(notebook.id));
    const [stuck, goes] = [orphan(), orphan()];
    for (const key of [stuck, goes]) bucket.keys.add(key);
    bucket.locked.add(stuck);
    const errors = vi.spyOn(app.server.log, 'error');
    expect(await app.jobs.check()).toContain('sweep');
    expect(bucket.keys.has(goes)).toBe(false);
    const words = 'the image store refused to delete objects without a notebook';
    expect(errors.mock.calls).toContainEqual([{ count: 1, keys: [stuck], reason: 'AccessDenied' }, words]);
    expect(await app.jobs.check()).not.toContain('sweep');
    await app.close();
  });

  it('stay in the queue of deletions alone', async () => {
    const { notebook, owner } = await make(store);
    const [stuck, ...others] = (await addMany(store, owner, 3)).map(({ key }) => key) as [string, ...string[]];
    for (const key of [stuck, ...others]) bucket.keys.add(key);
    bucket.locked.add(stuck);
    await store.deleteNotebook(owner, Date.now());
    let now = Date.now();
    const drain = () => deleteQueuedObjects({ store, objects: openBucket(bucket), now: () => now });
    expect(await drain()).toEqual({ deleted: 2, failed: 'delete: 1 objects stayed, the first for AccessDenied' });
    expect(await store.listQueuedObjectsOf(notebook.id)).toEqual([stuck]);
    bucket.locked.clear();
    now += minute;
    expect(await drain()).toEqual({ deleted: 1 });
    expect(bucket.keys.size).toBe(0);
  });
});

describe.skipIf(s3GatewayMissing)("objects that a policy protects on Ceph's gateway", () => {
  let gateway: S3Gateway;
  let bucket: S3Bucket;
  let database: Database;
  let store: Store;
  beforeAll(async () => {
    gateway = await startS3Gateway();
    bucket = await gateway.createBucket();
    database = await sqlite.createDatabase();
    store = createStore(database.url);
    await store.migrate();
  });
  afterAll(async () => {
    await store?.close();
    database?.remove();
    await gateway?.stop();
  });

  async function setPolicy(statements: readonly object[]): Promise<void> {
    const body = JSON.stringify({ Version: '2012-10-17', Statement: statements });
    expect((await gateway.send('PUT', `/${bucket.name}?policy=`, { body })).ok).toBe(true);
  }
  const resource = (key: string) => `arn:aws:s3:::${bucket.name}/${key}`;
  const readable = () => ({ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: resource('*') });

  it('are swept when it is lifted, and the others before', async () => {
    const objects = openBucket(bucket);
    const { notebook } = await make(store);
    const living = Array.from({ length: 4 }, () => keyIn(notebook.id));
    const [stuck, ...others] = Array.from({ length: 3 }, orphan) as [string, ...string[]];
    const headers = { contentType: 'image/webp', cacheControl: 'no-cache' };
    for (const key of [...living, stuck, ...others]) await objects.put(key, Buffer.from('bytes'), headers);
    await setPolicy([
      readable(),
      { Effect: 'Deny', Principal: '*', Action: ['s3:DeleteObject', 's3:DeleteObjectVersion'], Resource: resource(stuck) },
    ]);
    const listed = async () => (await objects.list()).objects.map(({ key }) => key).sort();
    const sweep = () => sweepOrphanImages({ store, objects, now: () => Date.now() + 2 * day });
    expect(await sweep()).toMatchObject({ kind: 'swept', stayed: { count: 1, keys: [stuck], reason: 'AccessDenied' } });
    expect(await listed()).toEqual([...living, stuck].sort());
    await setPolicy([readable()]);
    expect(await sweep()).toMatchObject({ kind: 'swept', counts: { orphans: 1 } });
    expect(await listed()).toEqual([...living].sort());
  });
});
