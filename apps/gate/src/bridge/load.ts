import type { Log } from '../operate/log.ts';

type BridgeModule = typeof import('./bridge.ts');

/**
 * What oidc-provider says of every Node that is not a long-term release, with no setting to leave it out. The gate runs on the Node that it is tested
 * with, and CI would see it fail: in the log of each start the line only hides others.
 */
const runtimeNotice = 'oidc-provider WARNING: Unsupported runtime. Use Node.js v22.x LTS, or a later LTS release.';

/**
 * The bridge with all that it needs, for a gate that has one; others never load it. What oidc-provider writes to the console when it is
 * loaded belongs into the log.
 */
export async function loadBridge(
  log: Log,
  load = (): Promise<BridgeModule> => import('./bridge.ts'),
): Promise<BridgeModule['Bridge']> {
  const { warn, info } = console;
  console.warn = console.info = (text: unknown) => {
    const notice = String(text);
    const level = notice.includes(runtimeNotice) ? 'debug' : 'info';
    log[level]('oidc-provider was loaded', { notice });
  };
  try {
    return (await load()).Bridge;
  } finally {
    console.warn = warn;
    console.info = info;
  }
}
