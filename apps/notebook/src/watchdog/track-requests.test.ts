import net, { type AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { createPulseMemory, Pulse, readPulse } from './pulse.ts';
import { trackRequests } from './track-requests.ts';

it('a request whose client left is not counted as under way for ever', async () => {
  const memory = createPulseMemory();
  const app = Fastify();
  trackRequests(app, new Pulse(memory, () => {}));
  let finish = () => {};
  app.delete('/slow', async (_, reply) => {
    await new Promise<void>(resolve => (finish = resolve));
    return reply.code(204).send();
  });
  app.get('/quick', async () => 'done');
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const count = () => [...readPulse(memory).underWay.values()].reduce((sum, one) => sum + one, 0);

  const atServer = new Promise<net.Socket>(resolve => app.server.once('connection', resolve));
  const socket = net.connect(port, '127.0.0.1', () => socket.write('DELETE /slow HTTP/1.1\r\nhost: x\r\n\r\n'));
  await expect.poll(count).toBe(1);
  socket.destroy();
  const connection = await atServer;
  await expect.poll(() => connection.closed).toBe(true);
  finish();
  await expect.poll(count).toBe(0);

  await fetch(`http://127.0.0.1:${port}/quick`, { headers: { connection: 'close' } });
  await expect.poll(count).toBe(0);
  await app.close();
});
