import { createServer } from 'node:net';

/**
 * A port of this machine's loopback that nobody listens at now. Below those that outgoing connections get, so that no connection of
 * another test sits on it when the server is started, or started again.
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = 12_000 + Math.floor(Math.random() * 8_000);
    if (await isFree(port)) return port;
  }
  throw new Error('no free port');
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer().once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
