import { lookup } from 'node:dns/promises';

/**
 * The address to listen on. The framework would listen on every address of `localhost`, with a server for each: all but the first would
 * have neither limits nor a front door, and would not be waited for at the end.
 */
export async function listenAddress(host: string): Promise<string> {
  return host === 'localhost' ? (await lookup(host)).address : host;
}
