import { expect, test } from 'vitest';
import { loadBridge } from '../../src/bridge/load.ts';
import { Log } from '../../src/operate/log.ts';

/** What the log holds, at the level that a gate has unless told otherwise, after the bridge was loaded. */
async function loaded(load?: Parameters<typeof loadBridge>[1]): Promise<unknown[]> {
  const lines: unknown[] = [];
  const log = new Log(
    'info',
    () => new Date(0),
    line => lines.push(JSON.parse(line)),
  );
  await loadBridge(log, load);
  return lines;
}

test('loading the bridge leaves nothing in the log of a gate that runs on the Node of this repository', async () => {
  expect(await loaded()).toEqual([]);
});

test('only the notice about the runtime is left out; whatever else oidc-provider says is kept', async () => {
  const runtime = 'oidc-provider WARNING: Unsupported runtime. Use Node.js v22.x LTS, or a later LTS release.';
  const lines = await loaded(async () => {
    console.warn(runtime);
    // As it writes to a terminal.
    console.warn(`\u001b[31;1m${runtime}\u001b[0m`);
    console.warn('oidc-provider WARNING: Unsupported runtime. Something else.');
    console.info('oidc-provider NOTICE: a new one');
    return {} as never;
  });
  expect(lines).toEqual(
    ['oidc-provider WARNING: Unsupported runtime. Something else.', 'oidc-provider NOTICE: a new one'].map(notice =>
      expect.objectContaining({ level: 'info', message: 'oidc-provider was loaded', notice }),
    ),
  );
});
