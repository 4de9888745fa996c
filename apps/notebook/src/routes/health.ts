import type { FastifyInstance } from 'fastify';
import * as calls from '../api/calls.ts';
import { answers, OkAnswer } from '../api/schemas.ts';
import { Refusal } from '../errors.ts';
import { urls } from '../urls.ts';
import type { RouteContext } from './context.ts';
import { on } from './on.ts';

/** A readiness probe has little time: an answer within it is worth more than a good reason after it. */
const readyWithinMs = 2_000;

/** A proof may be this old: a robot that asks constantly must not keep the disk busy. */
const readyForMs = 500;

/** The cause is logged as every outage is: at most once a second, however often these addresses are asked. */
function unavailable(detail: string, cause: unknown): Refusal {
  return new Refusal('unavailable', { detail, retryAfterSeconds: 5 }, { cause });
}

/** Proves that a write reaches the database durably and in time; concurrent requests share one proof. */
function createReadiness({ store, now }: RouteContext['parts']): () => Promise<void> {
  let proof: { readonly at: number; readonly done: Promise<void> } | undefined;
  const prove = async () => {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`No write was done within ${readyWithinMs} ms.`)), readyWithinMs).unref();
    try {
      await Promise.race([store.proveWrite(now()), late]);
    } catch (error) {
      throw unavailable('The database cannot write right now.', error);
    } finally {
      clearTimeout(timer);
    }
  };
  return () => {
    const at = performance.now();
    if (!proof || at - proof.at > readyForMs) proof = { at, done: prove() };
    return proof.done;
  };
}

export function healthRoutes(app: FastifyInstance, context: RouteContext): void {
  const requireDatabase = async () => {
    try {
      await context.parts.store.ping();
      return { ok: true };
    } catch (error) {
      throw unavailable('The database is unavailable.', error);
    }
  };
  on(
    app,
    calls.ping,
    [],
    {
      schema: { summary: 'Touch the database (keep-alive)', tags: ['service'], response: answers(200, OkAnswer) },
    },
    requireDatabase,
  );
  /** The process responds. */
  app.get(urls.healthz(), { schema: { hide: true } }, async () => ({ ok: true }));
  /** The process accepts writes, and every write that it confirms is durable. */
  const requireWrite = createReadiness(context.parts);
  app.get(urls.readyz(), { schema: { hide: true } }, async () => {
    await requireWrite();
    return { ok: true };
  });
}
