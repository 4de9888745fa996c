import { AjvCompiler } from '@fastify/ajv-compiler';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import { nextTurn } from '../event-loop-turns.ts';

type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

interface Validator {
  (data: unknown): unknown;
  errors?: unknown;
}
type Compile = (routeSchema: unknown) => Validator;

const buildWithAjv = AjvCompiler() as unknown as (...setup: readonly unknown[]) => Compile;

export interface SchemaCompilers {
  readonly compilers: Compilers;
  /**
   * Compiles the schemas that no request has needed yet, each in its own turn of the event loop. The first one takes 20 ms of processor time
   * and more, which the first save would wait for, and everybody with it.
   */
  compileInTurns(signal: AbortSignal): Promise<void>;
}

/**
 * Compiles a route's schema on its first request, in a millisecond or two; compiling all at the start took a sixth of the startup time. The
 * schemas check what a request may contain; answers are built by name in routes/answers.ts.
 */
export function createSchemaCompilers(build = buildWithAjv): SchemaCompilers {
  const left = new Set<() => void>();

  function buildValidator(...setup: readonly unknown[]): Compile {
    let compile: Compile | undefined;
    return routeSchema => {
      let compiled: Validator | undefined;
      const prepare = (): Validator => {
        left.delete(prepare);
        compile ??= build(...setup);
        compiled ??= compile(routeSchema);
        return compiled;
      };
      left.add(prepare);
      const validate: Validator = data => {
        const known = compiled ?? prepare();
        const result = known(data);
        validate.errors = known.errors;
        return result;
      };
      return validate;
    };
  }

  return {
    compilers: {
      buildValidator: buildValidator as unknown as NonNullable<Compilers['buildValidator']>,
      buildSerializer: () => () => data => JSON.stringify(data),
    },
    async compileInTurns(signal) {
      for (const prepare of left) {
        await nextTurn(signal);
        // A request may have needed it meanwhile.
        if (left.has(prepare)) prepare();
      }
    },
  };
}

/** After a start, the first pages are viewed first. */
const quietMillis = 1_000;

/** Compiles the schemas of a server once it has listened for a second. */
export function compileOnceListening(server: FastifyInstance, { compileInTurns }: Pick<SchemaCompilers, 'compileInTurns'>): void {
  const closing = new AbortController();
  server.addHook('onListen', async () => {
    const compile = () =>
      compileInTurns(closing.signal).catch(error => {
        // A request that needs the schema gets the error.
        if (!closing.signal.aborted) server.log.error({ err: error }, 'a schema could not be compiled');
      });
    const timer = setTimeout(compile, quietMillis).unref();
    closing.signal.addEventListener('abort', () => clearTimeout(timer));
  });
  server.addHook('preClose', async () => closing.abort());
}
