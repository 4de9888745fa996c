import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { objectKey } from '../../src/model/image.ts';
import type { ObjectStore } from '../../src/objects/object-store.ts';
import { sweepOrphanImages } from '../../src/operations/sweep-orphan-images.ts';
import { createStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { day, make, newId } from '../store/contract/subject.ts';
import { type Database, sqlite } from '../support/engines.ts';
import { type S3Bucket, type S3Gateway, s3GatewayMissing, startS3Gateway } from '../support/s3-gateway.ts';
import { type WatchedLine, watchLine } from '../support/watched-line.ts';
import { openBucket } from './open-bucket.ts';

const headers = { contentType: 'image/webp', cacheControl: 'public, max-age=31536000, immutable' };
const deadlines = { tries: 2, tryMs: 10_000, pauseMs: 10 };
const sweepProcess = fileURLToPath(new URL('sweep-process.ts', import.meta.url));
const isDeletion = (chunk: Buffer) => /^POST \/[^ ]*\?delete/.test(chunk.toString('latin1', 0, 200));
const isListing = (chunk: Buffer) => /^GET \/[^ ]*[?&]list-type=2/.test(chunk.toString('latin1', 0, 200));

describe.skipIf(s3GatewayMissing)('a gateway or a process that is killed', () => {
  let gateway: S3Gateway;
  let bucket: S3Bucket;
  /** Past the line that tests break. */
  let direct: ObjectStore;
  let line: WatchedLine | undefined;
  beforeAll(async () => {
    gateway = await startS3Gateway();
  });
  beforeEach(async () => {
    bucket = await gateway.createBucket();
    direct = openBucket(bucket);
  });
  afterEach(async () => {
    await line?.close();
    line = undefined;
  });
  afterAll(() => gateway?.stop());

  /** The same bucket through a line on which things happen. */
  async function through(onSent: Parameters<typeof watchLine>[1]): Promise<S3Bucket> {
    line = await watchLine(Number(new URL(gateway.endpoint).port), onSent);
    return { ...bucket, env: { ...bucket.env, R2_ENDPOINT: `http://127.0.0.1:${line.port}` } };
  }
  async function put(keys: readonly string[]): Promise<void> {
    const waiting = [...keys];
    const putNext = async () => {
      for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) await direct.put(key, Buffer.from('x'), headers);
    };
    await Promise.all(Array.from({ length: 16 }, putNext));
  }
  async function listKeys(): Promise<string[]> {
    const keys: string[] = [];
    let after: string | undefined;
    do {
      const page = await direct.list(after);
      keys.push(...page.objects.map(({ key }) => key));
      after = page.next;
    } while (after !== undefined);
    return keys;
  }

  it('in the middle of an upload leaves nothing, and the upload goes through afterwards', async () => {
    const key = objectKey(newId(), newId(), 'webp');
    const bytes = Buffer.alloc(5_242_880, 'image');
    let killed = false;
    const store = openBucket(
      await through(async (_, sent) => {
        if (killed || sent < 1_000_000) return;
        killed = true;
        await gateway.kill();
      }),
      { deadlines },
    );
    await expect(store.put(key, bytes, headers)).rejects.toMatchObject({
      name: 'ObjectStoreFailed',
      message: expect.stringMatching(/^put: the store is out of reach \(\w+\)$/),
    });
    expect(killed).toBe(true);
    await gateway.revive();
    expect(await listKeys()).toEqual([]);
    await store.put(key, bytes, headers);
    expect(await listKeys()).toEqual([key]);
  });

  it('for a moment only is not even noticed by the person who uploads', async () => {
    const key = objectKey(newId(), newId(), 'webp');
    let back: Promise<void> | undefined;
    const store = openBucket(
      await through(async () => {
        back ??= gateway.kill().then(() => gateway.revive());
        await back;
      }),
      { deadlines: { ...deadlines, tries: 8, pauseMs: 100 } },
    );
    await store.put(key, Buffer.from('x'), headers);
    expect(back).toBeDefined();
    expect(await listKeys()).toEqual([key]);
  });

  describe('in the middle of a sweep', () => {
    let database: Database;
    let store: Store;
    let living: string[];
    let filled: S3Bucket;
    beforeAll(async () => {
      filled = await gateway.createBucket();
      direct = openBucket(filled);
      database = await sqlite.createDatabase();
      store = createStore(database.url);
      await store.migrate();
      const { notebook } = await make(store);
      // With the orphans more than one listing holds, and enough orphans in the second one.
      living = Array.from({ length: 760 }, () => objectKey(notebook.id, newId(), 'webp')).sort();
      await put(living);
    });
    beforeEach(async () => {
      bucket = filled;
      direct = openBucket(bucket);
      await put(Array.from({ length: 300 }, () => objectKey(newId(), newId(), 'webp')));
    });
    afterAll(async () => {
      await store.close();
      database.remove();
    });
    const inTwoDays = () => Date.now() + 2 * day;
    const finish = async () => {
      const orphans = (await listKeys()).length - living.length;
      expect(orphans).toBeGreaterThan(0);
      const result = await sweepOrphanImages({ store, objects: direct, now: inTwoDays });
      expect(result).toMatchObject({ kind: 'swept', counts: { living: living.length } });
      expect(await listKeys()).toEqual(living);
    };

    it('the gateway: the sweep fails, and the next one finishes', async () => {
      let listings = 0;
      let killing: Promise<void> | undefined;
      const objects = openBucket(
        await through(async chunk => {
          if (isListing(chunk)) listings += 1;
          // Each of the two passes lists twice: after that, nothing but a deletion can fail.
          if (isDeletion(chunk) && listings === 4) killing ??= gateway.kill();
          await killing;
        }),
        { deadlines },
      );
      const failed = sweepOrphanImages({ store, objects, now: inTwoDays });
      await expect(failed).rejects.toMatchObject({ name: 'ObjectStoreFailed' });
      await gateway.revive();
      await finish();
    });

    it('the process: what is deleted is deleted, and the next one finishes', async () => {
      let sweeping: ChildProcess | undefined;
      let deletions = 0;
      const watched = await through(async chunk => {
        if (isDeletion(chunk) && ++deletions === 2) sweeping?.kill('SIGKILL');
      });
      const env = { ...process.env, ...watched.env, DATABASE_URL: database.url, NOW: String(inTwoDays()) };
      sweeping = spawn(process.execPath, [sweepProcess], { env, stdio: ['ignore', 'inherit', 'inherit'] });
      const [, signal] = await once(sweeping, 'exit');
      expect(signal).toBe('SIGKILL');
      expect(deletions).toBeGreaterThanOrEqual(2);
      // The gateway may still be at work on what it was asked for last.
      await sweepOrphanImages({ store, objects: direct, now: inTwoDays });
      expect(await listKeys()).toEqual(living);
    });
  });
});
