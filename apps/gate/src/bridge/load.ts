import type { Log } from '../operate/log.ts';

type BridgeModule = typeof import('./bridge.ts');

/**
 * oidc-provider warns like this on every Node that is not a long-term release, and no setting turns it off. The gate is tested on
 * the Node it runs on, and CI would catch a failure; in the log of each start the line only hides others.
 */
const runtimeNotice = 'oidc-provider WARNING: Unsupported runtime. Use Node.js v22.x LTS, or a later LTS release.';

/**
 * Loads the bridge and its dependencies, for a gate that has one; others never load it. What oidc-provider writes to the console
 * while loading goes to the log.
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
