import { openStore } from '../../src/index.ts';

/** A process of its own: `claimant.ts ADDRESS ROUNDS`. Waits for a line, then tries everything that may be taken once. */
const [address = '', rounds = '0'] = process.argv.slice(2);
const store = await openStore(address);
const soon = new Date(Date.now() + 600_000);
process.stdout.write('ready\n');
await new Promise(resolve => process.stdin.once('data', resolve));
const taken: string[] = [];
for (let round = 0; round < Number(rounds); round += 1) {
  const handle = `handle-of-the-round-${round}`;
  if ((await store.takePending(handle, 'browser-of-the-test')) !== undefined) taken.push(`pending ${round}`);
  if (await store.replay.claim(`assertion:${round}`, soon)) taken.push(`assertion ${round}`);
  if (await store.replay.claim(`logout-token:${round}`, soon)) taken.push(`logout token ${round}`);
}
await store.close();
process.stdout.write(`${JSON.stringify(taken)}\n`);
process.exit(0);
