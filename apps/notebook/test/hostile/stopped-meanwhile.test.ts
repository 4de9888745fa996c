import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { sqlite } from '../support/engines.ts';
import { startService } from '../support/service-process.ts';

it('a service that is stopped ends in order, whatever its clients withhold', async () => {
  const database = await sqlite.createDatabase();
  const service = await startService({ DATABASE_URL: database.url });
  const { port } = new URL(service.origin);
  const sockets = [
    '',
    'GET / HTTP/1.1\r\nhost: x\r\n',
    'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n',
    'POST /api/quick HTTP/1.1\r\nhost: x\r\ncontent-type: text/markdown\r\ncontent-length: 9\r\n\r\n',
    `POST /api/quick HTTP/1.1\r\nhost: x\r\ncontent-type: text/markdown\r\ncontent-length: 900000\r\n\r\n${'a'.repeat(500_000)}`,
  ].map(text =>
    connect(Number(port), '127.0.0.1', function (this: Socket) {
      this.write(text);
    }),
  );
  try {
    for (const socket of sockets) socket.on('error', () => {});
    // What was sent before is read by then.
    await once(sockets[2]!, 'data');
    expect((await fetch(`${service.origin}/healthz`)).status).toBe(200);
    expect(await service.kill('SIGTERM')).toBe(0);
  } finally {
    for (const socket of sockets) socket.destroy();
    await service.kill('SIGKILL');
    database.remove();
  }
}, 30_000);
