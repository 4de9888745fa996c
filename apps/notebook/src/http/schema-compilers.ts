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
 * The schema of a route is compiled by its first request, a millisecond or two each; all of them at the start took a sixth of it. What a
 * request may hold is checked by these schemas; what is answered is built by name in routes/answers.ts.
 */
export const schemaCompilers: Compilers = {
  buildValidator: buildValidator as unknown as NonNullable<Compilers['buildValidator']>,
  buildSerializer: () => () => data => JSON.stringify(data),
};
