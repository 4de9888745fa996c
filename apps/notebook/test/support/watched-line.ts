import { connect, createServer, type Socket } from 'node:net';

/** A connection to a local server that a test can watch. */
export interface WatchedLine {
  readonly port: number;
  close(): Promise<void>;
}

/** Passes everything on, but first reports what the client sent and waits for the callback before the bytes arrive. */
export async function watchLine(
  targetPort: number,
  onSent: (chunk: Buffer, bytesSoFar: number) => unknown,
): Promise<WatchedLine> {
  const open = new Set<Socket>();
  const server = createServer(client => {
    const target = connect(targetPort, '127.0.0.1');
    let bytes = 0;
    const closed = new Promise(resolve => target.once('close', resolve));
    for (const socket of [client, target]) {
      open.add(socket);
      socket.on('error', () => {}).on('close', () => open.delete(socket));
    }
    const passOn = async () => {
      for await (const chunk of client as AsyncIterable<Buffer>) {
        bytes += chunk.byteLength;
        await onSent(chunk, bytes);
        if (!target.write(chunk) && !target.destroyed)
          await Promise.race([new Promise(resolve => target.once('drain', resolve)), closed]);
      }
    };
    passOn().catch(() => target.destroy());
    target.pipe(client);
    target.on('close', () => client.destroy());
    client.on('close', () => target.destroy());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The line has no port.');
  return {
    port: address.port,
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
