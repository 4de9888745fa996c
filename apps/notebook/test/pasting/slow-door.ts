import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands before the service like a slow line: uploads wait at it until they are let through. */
export interface SlowDoor {
  readonly origin: string;
  /** From now on uploads wait. */
  hold(): void;
  /** Those that wait go on, in the order they came, and later ones pass at once. */
  release(): void;
  /** Uploads that wait. */
  readonly waiting: () => number;
  close(): Promise<void>;
}

export async function openSlowDoor(service: string): Promise<SlowDoor> {
  let held = false;
  let queue: (() => void)[] = [];
  const pass = (asked: IncomingMessage, answer: ServerResponse): void => {
    const { method, url, headers } = asked;
    const onward = request(service + url, { method: method ?? 'GET', headers }, reply => {
      answer.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    asked.pipe(onward);
  };
  const server = createServer((asked, answer) => {
    const isUpload = asked.method === 'POST' && asked.url?.endsWith('/images') === true;
    if (!held || !isUpload) return pass(asked, answer);
    const go = () => pass(asked, answer);
    queue.push(go);
    answer.on('close', () => {
      queue = queue.filter(other => other !== go);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold() {
      held = true;
    },
    release() {
      held = false;
      for (const go of queue.splice(0)) go();
    },
    waiting: () => queue.length,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
