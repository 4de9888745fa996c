import type { Server } from 'node:http';

/**
 * Connections that the system keeps until they are accepted, if it allows so many. Node asks for 511: of a larger burst the system drops the
 * rest, whose clients try again after 1, 3, 7 and 15 seconds.
 */
const waitingConnections = 4_096;

/** @throws the system's error, when the port cannot be used */
export function listen(server: Server, { host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: waitingConnections }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
