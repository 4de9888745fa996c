import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TestServer extends AsyncDisposable {
  readonly origin: string;
  readonly server: Server;
}

/** A server on loopback; `port` 0 takes a free one. */
export async function serve(listener: RequestListener, port = 0): Promise<TestServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const { port: taken } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${taken}`,
    server,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Answers without an end, as fast as it is read. @returns octets that went into the connection so far */
export function answerWithoutEnd(response: ServerResponse, type = 'application/json'): () => number {
  const { socket } = response;
  const piece = Buffer.alloc(65_536, ' ');
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response
    .writeHead(200, { 'content-type': type })
    .on('drain', more)
    .on('error', () => {});
  more();
  return () => socket?.bytesWritten ?? 0;
}

/** Below the ports of outgoing connections: one of another test took a port between this question and the start of its gate. */
export { findFreePort as freePort } from '../../../../tools/free-port.ts';
