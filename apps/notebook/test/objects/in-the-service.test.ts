import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { objectKey } from '../../src/model/image.ts';
import { createStore } from '../../src/store/open-store.ts';
import { aPicture } from '../images/pictures.ts';
import { addMany } from '../store/contract/images.ts';
import { day, make, newId } from '../store/contract/subject.ts';
import { type Database, engines, sqlite } from '../support/engines.ts';
import { octavo } from '../support/octavo-command.ts';
import { type S3Bucket, type S3Gateway, s3GatewayMissing, startS3Gateway } from '../support/s3-gateway.ts';
import { createThrough, type Made, type ServiceProcess, startService } from '../support/service-process.ts';
import { openBucket } from './open-bucket.ts';
import { viaLoopback } from './via-loopback.ts';

const cacheControl = 'public, max-age=31536000, immutable';

describe.skipIf(s3GatewayMissing)("the built program with Ceph's gateway", () => {
  let gateway: S3Gateway;
  beforeAll(async () => {
    gateway = await startS3Gateway();
  });
  afterAll(() => gateway?.stop());

  describe.each(engines)('and $name', engine => {
    let database: Database;
    let bucket: S3Bucket;
    let env: Record<string, string>;
    const running: ServiceProcess[] = [];
    beforeEach(async () => {
      database = await engine.createDatabase();
      bucket = await gateway.createBucket();
      env = { DATABASE_URL: database.url, ...bucket.env };
    });
    afterEach(async () => {
      await Promise.all(running.splice(0).map(service => service.kill('SIGKILL')));
      database.remove();
    });

    const start = async (over: Record<string, string> = {}) => {
      const service = await startService({ ...env, LOG_LEVEL: 'info', ...over });
      running.push(service);
      return service;
    };
    async function upload({ origin }: ServiceProcess, { slug, editToken }: Made): Promise<string> {
      const body = await aPicture('png');
      const headers = { 'x-edit-token': editToken, 'content-type': 'application/octet-stream' };
      const answer = await fetch(`${origin}/api/notebooks/${slug}/images`, {
        method: 'POST',
        headers,
        body: new Uint8Array(body),
      });
      expect(answer.status).toBe(201);
      return ((await answer.json()) as { url: string }).url;
    }
    const remove = ({ origin }: ServiceProcess, { slug, editToken }: Made) =>
      fetch(`${origin}/api/notebooks/${slug}`, { method: 'DELETE', headers: { 'x-edit-token': editToken } });
    const isThere = async (url: string) => (await fetch(url)).ok;

    // images/processes.test.ts does this on PostgreSQL.
    if (engine === sqlite)
      it('stores an image where a plain GET finds it, with the headers of the specification, and deletes it with its notebook', async () => {
        const service = await start();
        const made = await createThrough(service.origin);
        const url = await upload(service, made);
        expect(url).toMatch(new RegExp(`^${bucket.publicUrl}/[0-9a-f]{32}/[0-9a-f]{32}\\.png$`));
        const answer = await fetch(url);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('cache-control')).toBe(cacheControl);
        expect(answer.headers.get('content-type')).toBe('image/png');
        expect((await remove(service, made)).status).toBe(200);
        expect(await isThere(url)).toBe(false);
        expect(service.output()).not.toContain(bucket.env.R2_SECRET_ACCESS_KEY);
      });

    it('lets a deletion stand while the gateway is dead; another process deletes the object when both are back', async () => {
      const service = await start();
      const made = await createThrough(service.origin);
      const url = await upload(service, made);
      await gateway.kill();
      try {
        expect((await remove(service, made)).status).toBe(200);
        expect((await fetch(`${service.origin}/n/${made.slug}`)).status).toBe(404);
        await service.kill('SIGKILL');
      } finally {
        await gateway.revive();
      }
      expect(await isThere(url)).toBe(true);
      const next = await start({ JOBS: 'off' });
      await expect.poll(() => isThere(url), { timeout: 20_000 }).toBe(false);
      await expect.poll(next.output, { timeout: 20_000 }).toContain('Deleted 1 objects of the image store.');
    });

    it('deletes the objects of what the command purges', async () => {
      const store = createStore(database.url);
      await store.migrate();
      const [due, kept] = [await make(store, { expiresAt: Date.now() - 4 * day }), await make(store)];
      const objects = openBucket(bucket);
      const keys: string[] = [];
      for (const { owner } of [due, kept]) {
        const [image] = await addMany(store, owner, 1);
        keys.push(image!.key);
        await objects.put(image!.key, Buffer.from('x'), { contentType: 'image/webp', cacheControl });
      }
      await store.close();
      const purged = await octavo(['job', 'purge'], env);
      expect(purged).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^Deleted 1 expired .* Deleted 1 objects of the image store\.\n$/),
      });
      expect((await objects.list()).objects.map(({ key }) => key)).toEqual([keys[1]]);
    });

    // sweep.test.ts sweeps with both engines.
    if (engine === sqlite)
      it('sweeps at the command’s word, refuses what looks like a mistake, and names what is missing', async () => {
        const store = createStore(database.url);
        await store.migrate();
        const { notebook } = await make(store);
        await store.close();
        const objects = openBucket(bucket);
        const headers = { contentType: 'image/webp', cacheControl };
        const young = objectKey(newId(), newId(), 'webp');
        for (const key of [young, objectKey(notebook.id, newId(), 'webp'), 'of-another-service.txt'])
          await objects.put(key, Buffer.from('x'), headers);
        const left = '1 of notebooks, 1 younger than a day, 1 under keys that are not ours';
        expect(await octavo(['job', 'sweep', '--dry-run'], env)).toEqual({
          code: 0,
          out: `Would delete 0 image objects without a notebook (0 bytes). Would leave ${left}.\n`,
          err: '',
        });
        expect(await octavo(['job', 'sweep'], env)).toMatchObject({
          code: 0,
          out: expect.stringMatching(/^Deleted 0 image objects/),
        });
        expect((await objects.list()).objects).toHaveLength(3);

        const wrong = await octavo(['job', 'sweep'], { ...env, R2_SECRET_ACCESS_KEY: 'not-the-secret' });
        expect(wrong).toMatchObject({ code: 1, out: '' });
        expect(wrong.err).toContain('the store answered 403 SignatureDoesNotMatch');
        expect(wrong.err).not.toContain('not-the-secret');
        const partly = await octavo(['job', 'sweep'], { ...env, R2_BUCKET: '' });
        expect(partly).toMatchObject({ code: 1, err: expect.stringContaining('not set are R2_BUCKET') });
        const off = await octavo(['job', 'sweep'], { DATABASE_URL: database.url });
        expect(off).toMatchObject({ code: 0, out: 'Image upload is off: there is nothing to sweep.\n' });
        expect((await octavo(['job', 'keep-alive', '--force'], env)).code).toBe(2);
      });
  });

  it('is reached with the bucket in the name of the host as well', async () => {
    const bucket = await gateway.createBucket();
    const { port } = new URL(gateway.endpoint);
    const asked: string[] = [];
    // Nothing resolves the bucket's name here; the Host header carries it, as it would.
    const objects = openBucket(
      { env: { ...bucket.env, R2_ENDPOINT: `http://localhost:${port}` } },
      { pathStyle: false, fetch: viaLoopback(asked) },
    );
    const key = objectKey(newId(), newId(), 'gif');
    await objects.put(key, Buffer.from('GIF89a'), { contentType: 'image/gif', cacheControl });
    expect((await objects.list()).objects.map(object => object.key)).toEqual([key]);
    expect(await (await fetch(`${bucket.publicUrl}/${key}`)).text()).toBe('GIF89a');
    await objects.delete([key]);
    expect((await objects.list()).objects).toEqual([]);
    expect(new Set(asked)).toEqual(new Set([`${bucket.name}.localhost:${port}`]));
  });
});

describe('the start-up log of the built program', () => {
  it('says that pages do not follow a path in PUBLIC_URL', async () => {
    const database = await sqlite.createDatabase();
    const service = await startService({ DATABASE_URL: database.url, PUBLIC_URL: 'https://example.org/notes/' });
    const lines = service.output().split('\n');
    expect(lines.filter(line => line.includes('PUBLIC_URL has a path')).map(line => JSON.parse(line).path)).toEqual(['/notes']);
    await service.kill();
    database.remove();
  });

  it('names the missing of the five variables of the image store', async () => {
    const database = await sqlite.createDatabase();
    const some = { R2_ENDPOINT: 'https://s3.invalid', R2_BUCKET: 'images', R2_PUBLIC_URL: 'https://images.invalid' };
    const service = await startService({ DATABASE_URL: database.url, ...some });
    const lines = service.output().split('\n');
    expect(lines.filter(line => line.includes('image upload is off')).map(line => JSON.parse(line).missing)).toEqual([
      ['R2_ACCESS_KEY_ID', 'R2_SECRET_ACCESS_KEY'],
    ]);
    await service.kill();
    database.remove();
  });
});
