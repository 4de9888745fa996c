import type { Log } from '../operate/log.ts';

/**
 * The bridge with all that it needs, for a gate that has one; others never load it. oidc-provider writes about the runtime to the
 * console when it is loaded, which belongs into the log.
 */
export async function loadBridge(log: Log): Promise<typeof import('./bridge.ts').Bridge> {
  const { warn, info } = console;
  console.warn = console.info = (text: unknown) => log.info('oidc-provider was loaded', { notice: String(text) });
  try {
    return (await import('./bridge.ts')).Bridge;
  } finally {
    console.warn = warn;
    console.info = info;
  }
}
