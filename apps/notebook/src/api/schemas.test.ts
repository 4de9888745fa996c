import { AjvCompiler } from '@fastify/ajv-compiler';
import { expect, it } from 'vitest';
import * as schemas from './schemas.ts';

type Compile = (route: { schema: unknown; method: string; url: string; httpPart: string }) => (data: unknown) => boolean;

// The service compiles them without looking at them (http/server.ts).
const compile = (AjvCompiler() as unknown as (external: object, options: object) => Compile)({}, { customOptions: {} });
const { sharedProblems: _, ...others } = schemas;
const named = Object.entries(others).filter(([, schema]) => typeof schema === 'object');

it('every schema of the API is a JSON schema', () => {
  expect(named.length).toBeGreaterThan(30);
  for (const [name, schema] of named) {
    expect(() => compile({ schema, method: 'POST', url: `/${name}`, httpPart: 'body' }), name).not.toThrow();
  }
});

it('one that is none is noticed', () => {
  const schema = { type: 'object', properties: { title: { type: 'string', maxLength: 'two hundred' } } };
  expect(() => compile({ schema, method: 'POST', url: '/', httpPart: 'body' })).toThrow(/maxLength/);
});
