import net, { type AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { createPulseMemory, Pulse, readPulse } from './pulse.ts';
import { trackRequests } from './track-requests.ts';

type Hook = 'onRequest' | 'preParsing' | 'preValidation' | 'preHandler' | 'onSend';
const rounds: [waiting: Hook | 'handler', next: Hook][] = [
  ['onRequest', 'preParsing'],
  ['preValidation', 'preHandler'],
  ['handler', 'onSend'],
];

it.each(rounds)('the route that is worked on is named again when a request goes on after its %s', async (waiting, next) => {
  const memory = createPulseMemory();
  const names = new Map<number, string>();
  const app = Fastify();
  trackRequests(app, new Pulse(memory, (route, name) => names.set(route, name)));
  const lastName = () => names.get(readPulse(memory).lastRoute!);
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const wait = async (at: string, url: string) => {
    if (at !== waiting || url === '/quick') return;
    begun.resolve();
    await goOn.promise;
  };
  const seen: unknown[] = [];
  for (const hook of ['onRequest', 'preValidation'] as const) app.addHook(hook, ({ url }) => wait(hook, url));
  for (const hook of ['preParsing', 'preHandler', 'onSend'] as const)
    app.addHook(hook as 'preHandler', async ({ url }) => {
      if (hook === next && url !== '/quick') seen.push(lastName());
    });
  app.get('/slow/:slug', async ({ url }) => {
    await wait('handler', url);
    return 'done';
  });
  app.get('/quick', async () => 'done');
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const slow = fetch(`${origin}/slow/a-secret-slug`);
  await begun.promise;
  await (await fetch(`${origin}/quick`)).text();
  expect(lastName()).toBe('GET /quick');
  goOn.resolve();
  expect(await (await slow).text()).toBe('done');
  expect(seen).toEqual(['GET /slow/:slug']);
  await app.close();
});

it('an address that no route has is not named', async () => {
  const names: string[] = [];
  const app = Fastify();
  trackRequests(app, new Pulse(createPulseMemory(), (_, name) => names.push(name)));
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  expect((await fetch(`${origin}/e/a-secret-token`)).status).toBe(404);
  expect(names).toEqual(['unknown address']);
  await app.close();
});

it('a request whose client left before it was looked at is not counted', async () => {
  const memory = createPulseMemory();
  const app = Fastify();
  const [begun, goOn, ended] = [1, 2, 3].map(() => Promise.withResolvers<void>()) as [
    PromiseWithResolvers<void>,
    PromiseWithResolvers<void>,
    PromiseWithResolvers<void>,
  ];
  app.addHook('onRequest', async (_, reply) => {
    reply.raw.once('close', ended.resolve);
    begun.resolve();
    await goOn.promise;
  });
  trackRequests(app, new Pulse(memory, () => {}));
  const handled = Promise.withResolvers<void>();
  app.get('/', async () => {
    handled.resolve();
    return 'done';
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const socket = net.connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'));
  await begun.promise;
  socket.destroy();
  await ended.promise;
  goOn.resolve();
  await handled.promise;
  expect(readPulse(memory).underWay).toEqual(new Map());
  await app.close();
});

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
