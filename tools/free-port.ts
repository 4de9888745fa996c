import { createServer } from 'node:net';

/**
 * A port on this machine's loopback that nothing listens on now. It is below the range for outgoing connections, so that no
 * connection of another test occupies it when the server starts or restarts.
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
