import fastify from 'fastify';

// The minimum of Fastify: one route, no log. Argument: the port.
const app = fastify();
app.get('/healthz', async () => ({ hello: 'world' }));
await app.listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
