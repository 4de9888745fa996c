import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objectKey } from '../apps/notebook/src/model/image.ts';
import type { ObjectStore } from '../apps/notebook/src/objects/object-store.ts';
import { createS3Store } from '../apps/notebook/src/objects/s3.ts';
import { describeSweep, sweepOrphanImages } from '../apps/notebook/src/operations/sweep-orphan-images.ts';
import { createStore } from '../apps/notebook/src/store/open-store.ts';
import type { Store } from '../apps/notebook/src/store/store.ts';
import { day, make, newId } from '../apps/notebook/test/store/contract/subject.ts';
import { type S3Bucket, s3GatewayMissing, startS3Gateway } from '../apps/notebook/test/support/s3-gateway.ts';

// The weekly sweep over 100,000 objects of 20,000 notebooks, a fifth of them without a notebook, on Ceph's S3 gateway with
// everything in memory and SQLite: time, memory, requests. For comparison, the plain way on a separate bucket in the same run:
// list, then for each object one database lookup and, without a notebook, one DELETE.
const objectCount = Number(process.argv[2] ?? 100_000);
const notebookCount = objectCount / 5;
const plainCount = Math.min(objectCount, 5_000);

if (s3GatewayMissing) {
  console.log(`SKIPPED: ${s3GatewayMissing}`);
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), 'octavo-bench-'));
const gateway = await startS3Gateway();
const store = createStore(`sqlite:${join(folder, 'octavo.db')}`);
try {
  await store.migrate();
  const notebooks = await makeNotebooks(notebookCount);
  const plain = await fill(plainCount, notebooks);
  const swept = await fill(objectCount, notebooks);
  const plainRate = await sweepPlainly(plain);
  const sweepRate = await sweepMeasured(swept);
  console.log(
    `ratio: ${(sweepRate / plainRate).toFixed(1)} (sweep ${sweepRate.toFixed(0)} objects/s, plain ${plainRate.toFixed(0)})`,
  );
} finally {
  await store.close();
  await gateway.stop();
  rmSync(folder, { recursive: true });
}

async function makeNotebooks(count: number): Promise<string[]> {
  const ids: string[] = [];
  const { seconds } = await timed(() =>
    inParallel(16, count, async () => void ids.push((await make(store, {}, ['# Bench\n'])).notebook.id)),
  );
  console.log(`made ${count} notebooks in ${seconds.toFixed(1)} s`);
  return ids;
}

/** Four of five objects are in notebooks, the fifth is in none. */
async function fill(count: number, notebooks: readonly string[]): Promise<S3Bucket> {
  const bucket = await gateway.createBucket();
  const { objects } = open(bucket);
  const headers = { contentType: 'image/webp', cacheControl: 'public, max-age=31536000, immutable' };
  const { seconds } = await timed(() =>
    inParallel(32, count, turn => {
      const notebook = turn % 5 === 4 ? newId() : notebooks[turn % notebooks.length]!;
      return objects.put(objectKey(notebook, newId(), 'webp'), Buffer.from('image'), headers);
    }),
  );
  console.log(`put ${count} objects in ${seconds.toFixed(1)} s (${(count / seconds).toFixed(0)}/s)`);
  return bucket;
}

function open({ env }: S3Bucket): { objects: ObjectStore; requests: Record<string, number> } {
  const requests: Record<string, number> = {};
  const counting: typeof fetch = (url, init) => {
    const method = init?.method ?? 'GET';
    requests[method] = (requests[method] ?? 0) + 1;
    return fetch(url, init);
  };
  const account = {
    endpoint: env.R2_ENDPOINT,
    bucket: env.R2_BUCKET,
    accessKeyId: env.R2_ACCESS_KEY_ID,
    secretAccessKey: env.R2_SECRET_ACCESS_KEY,
    publicUrl: env.R2_PUBLIC_URL,
    region: 'auto',
    pathStyle: true,
  };
  return { objects: createS3Store({ ...account, fetch: counting }), requests };
}

async function sweepMeasured(bucket: S3Bucket): Promise<number> {
  const { objects, requests } = open(bucket);
  const parts = { store, objects, now: () => Date.now() + 2 * day };
  let questions = 0;
  const counted: Pick<Store, 'findLivingNotebooks' | 'hasNotebooks'> = {
    hasNotebooks: () => store.hasNotebooks(),
    findLivingNotebooks(ids) {
      questions += 1;
      return store.findLivingNotebooks(ids);
    },
  };
  const before = process.memoryUsage();
  let peak = before;
  const sampler = setInterval(() => {
    const now = process.memoryUsage();
    if (now.rss > peak.rss) peak = now;
  }, 10);
  const { seconds, result } = await timed(() => sweepOrphanImages({ ...parts, store: counted }));
  clearInterval(sampler);
  const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0);
  console.log(describeSweep(result));
  console.log(
    `sweep: ${seconds.toFixed(1)} s; requests to the store ${JSON.stringify(requests)}, questions to the database ${questions}; ` +
      `memory of the process ${megabytes(before.rss)} MB before, ${megabytes(peak.rss)} MB at the most`,
  );
  const again = await timed(() => sweepOrphanImages(parts));
  console.log(`again, with nothing to do: ${again.seconds.toFixed(1)} s, ${again.result.counts.orphans} deleted`);
  return result.counts.ours / seconds;
}

async function sweepPlainly(bucket: S3Bucket): Promise<number> {
  const { objects } = open(bucket);
  let seen = 0;
  const { seconds } = await timed(async () => {
    let after: string | undefined;
    do {
      const page = await objects.list(after);
      for (const { key } of page.objects) {
        seen += 1;
        const id = key.split('/', 1)[0]!;
        if ((await store.findLivingNotebooks([id])).has(id)) continue;
        const answer = await gateway.send('DELETE', `/${bucket.name}/${key}`);
        if (answer.status !== 204) throw new Error(`DELETE answered ${answer.status}`);
      }
      after = page.next;
    } while (after !== undefined);
  });
  console.log(`plain: ${seen} objects one after the other in ${seconds.toFixed(1)} s`);
  return seen / seconds;
}

async function timed<Result>(run: () => Promise<Result>): Promise<{ seconds: number; result: Result }> {
  const started = performance.now();
  const result = await run();
  return { seconds: (performance.now() - started) / 1000, result };
}

async function inParallel(workers: number, count: number, run: (turn: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async () => {
    for (let turn = next++; turn < count; turn = next++) await run(turn);
  };
  await Promise.all(Array.from({ length: workers }, work));
}
