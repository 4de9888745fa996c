import { purgeExpired } from '../../../src/operations/purge-expired.ts';
import { createStore } from '../../../src/store/open-store.ts';

// Purges once, and says of each transaction what went with it.

const [databaseUrl = '', moment = ''] = process.argv.slice(2);
const store = createStore(databaseUrl);
const watched = {
  ...store,
  async purgeNotebooks(...given: Parameters<typeof store.purgeNotebooks>) {
    const gone = await store.purgeNotebooks(...given);
    process.stdout.write(`${JSON.stringify(gone)}\n`);
    return gone;
  },
};
await purgeExpired({ store: watched, now: () => Number(moment) }, { timezone: 'UTC' });
await store.close();
