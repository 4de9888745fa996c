import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on a loopback port of the system's choice, for one test. */
export interface TestServer extends AsyncDisposable {
  origin: string;
  server: Server;
}

export async function serve(listener: RequestListener): Promise<TestServer> {
  const server = createServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  return { origin: `http://127.0.0.1:${port}`, server, [Symbol.asyncDispose]: stop };
}
