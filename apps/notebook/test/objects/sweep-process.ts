import { readConfig } from '../../src/config.ts';
import { createS3Store } from '../../src/objects/s3.ts';
import { describeSweep, sweepOrphanImages } from '../../src/operations/sweep-orphan-images.ts';
import { createStore } from '../../src/store/open-store.ts';

// A sweep in a process of its own, for a test that kills it; with a clock that makes fresh objects old.
const { databaseUrl, images } = readConfig(process.env);
if (images.kind !== 'on') throw new Error('not configured');
const store = createStore(databaseUrl);
const now = () => Number(process.env.NOW);
process.stdout.write(`${describeSweep(await sweepOrphanImages({ store, objects: createS3Store(images.store), now }))}\n`);
await store.close();
