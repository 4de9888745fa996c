import { AjvCompiler } from '@fastify/ajv-compiler';
import type { FastifyServerOptions } from 'fastify';

type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

interface Validator {
  (data: unknown): unknown;
  errors?: unknown;
}
type Compile = (routeSchema: unknown) => Validator;

const buildWithAjv = AjvCompiler() as unknown as (...setup: readonly unknown[]) => Compile;

function buildValidator(...setup: readonly unknown[]): Compile {
  let compile: Compile | undefined;
  return routeSchema => {
    let compiled: Validator | undefined;
    const validate: Validator = data => {
      compile ??= buildWithAjv(...setup);
      compiled ??= compile(routeSchema);
      const result = compiled(data);
      validate.errors = compiled.errors;
      return result;
    };
    return validate;
  };
}

/**
 * Compiles a route's schema on its first request, in a millisecond or two; compiling all at the start took a sixth of the startup time. The
 * schemas check what a request may contain; answers are built by name in routes/answers.ts.
 */
export const schemaCompilers: Compilers = {
  buildValidator: buildValidator as unknown as NonNullable<Compilers['buildValidator']>,
  buildSerializer: () => () => data => JSON.stringify(data),
};
