import Fastify from 'fastify';
import { afterEach, expect, it, vi } from 'vitest';
import { turnTaker } from '../event-loop-turns.ts';
import { compileOnceListening, createSchemaCompilers } from './schema-compilers.ts';

/** Schemas that note when they are compiled. */
function noting(order: string[]) {
  const build = () => (routeSchema: unknown) => {
    const { name } = (routeSchema as { schema: { name: string } }).schema;
    order.push(name);
    return Object.assign((data: unknown) => (data === name ? true : { error: new Error(`not ${name}`) }), { errors: [name] });
  };
  return createSchemaCompilers(build);
}

function routesOf({ compilers }: Pick<ReturnType<typeof noting>, 'compilers'>, names: string[]) {
  const compile = compilers.buildValidator!({}, {} as never) as unknown as (route: object) => (data: unknown) => unknown;
  return names.map(name => compile({ schema: { name } }));
}

it('compiles nothing before a request needs it, and everything once', async () => {
  const order: string[] = [];
  const schemas = noting(order);
  const [first, second] = routesOf(schemas, ['first', 'second']);
  expect(order).toEqual([]);
  expect(second!('second')).toBe(true);
  expect(first!('second')).toEqual({ error: new Error('not first') });
  expect((first as { errors?: unknown }).errors).toEqual(['first']);
  await schemas.compileInTurns(new AbortController().signal);
  expect(order).toEqual(['second', 'first']);
});

it('compiles what is left in turns of the event loop, one in each', async () => {
  const order: string[] = [];
  const schemas = noting(order);
  const [, , third] = routesOf(schemas, ['first', 'second', 'third', 'fourth']);
  const askForTurn = turnTaker(() => {
    order.push('another');
    if (order.length < 12) askForTurn();
  });
  askForTurn();
  const compiled = schemas.compileInTurns(new AbortController().signal);
  third!('third');
  await compiled;
  expect(order.filter(name => name !== 'another')).toEqual(['third', 'first', 'second', 'fourth']);
  expect(order.indexOf('second') - order.indexOf('first')).toBeGreaterThan(1);
  expect(order.indexOf('fourth') - order.indexOf('second')).toBeGreaterThan(1);
});

afterEach(() => void vi.useRealTimers());

it('begins a second after the server listens, and stops when it closes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const starts: AbortSignal[] = [];
  const compileInTurns = async (signal: AbortSignal) => void starts.push(signal);
  const server = Fastify();
  compileOnceListening(server, { compileInTurns });
  await server.listen({ host: '127.0.0.1', port: 0 });
  vi.advanceTimersByTime(999);
  expect(starts).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(starts).toHaveLength(1);
  await server.close();
  expect(starts[0]!.aborted).toBe(true);

  const closed = Fastify();
  compileOnceListening(closed, { compileInTurns });
  await closed.listen({ host: '127.0.0.1', port: 0 });
  await closed.close();
  vi.advanceTimersByTime(2_000);
  expect(starts).toHaveLength(1);
});
