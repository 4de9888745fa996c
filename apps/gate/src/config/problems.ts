import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import Value from 'typebox/value';
import type { SecretInput } from './schema-parts.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** Collects problems, each with its place: `providers[0].issuer: …`. */
export class Problems {
  readonly found: string[] = [];
  readonly #env: Env;
  readonly #readFile: (path: string) => string;

  constructor(env: Env, readFile: (path: string) => string = path => readFileSync(path, 'utf8')) {
    this.#env = env;
    this.#readFile = readFile;
  }

  add(place: string, why: string): void {
    this.found.push(`${place}: ${why}`);
  }

  /** Whether the value matches the schema; every mismatch is noted. */
  fits(schema: TSchema, value: unknown, place: string): boolean {
    const before = this.found.length;
    for (const error of Value.Errors(schema, value)) this.#note(error as SchemaError, place, value);
    return this.found.length === before;
  }

  /** Reads a secret from the environment or a file. It is never repeated in a message. */
  secret(input: SecretInput, place: string): string {
    if (input.env !== undefined) {
      const value = this.#env[input.env];
      if (value === undefined || value === '') this.add(place, `the environment variable ${input.env} is not set`);
      return value ?? '';
    }
    try {
      const value = this.#readFile(input.file as string).replace(/\r?\n$/, '');
      if (value === '') this.add(place, `the file ${input.file} is empty`);
      return value;
    } catch (error) {
      this.add(place, `the file ${input.file} cannot be read: ${(error as { code?: string }).code ?? 'unknown reason'}`);
      return '';
    }
  }

  /** Parses a private key from a secret that was read. A missing secret was already reported. */
  privateKey(pem: string, place: string): KeyObject | undefined {
    if (pem === '') return undefined;
    try {
      return createPrivateKey(pem);
    } catch {
      this.add(place, 'is not a PEM private key');
      return undefined;
    }
  }

  #note(error: SchemaError, place: string, value: unknown): void {
    const at = placeOf(place, error.instancePath);
    const { keyword, params } = error;
    // Already reported by the object that holds it, with its name.
    if (keyword === 'boolean' || keyword === 'anyOf') return;
    if (keyword === 'additionalProperties') {
      for (const name of params.additionalProperties as string[])
        this.add(at === '' ? name : `${at}.${name}`, 'there is no such setting');
    } else if (keyword === 'required') {
      for (const name of params.requiredProperties as string[]) this.add(at === '' ? name : `${at}.${name}`, 'is missing');
    } else if (keyword === 'enum') {
      this.add(at, `must be one of ${(params.allowedValues as unknown[]).join(', ')}`);
    } else if (keyword === 'type') {
      this.add(at, `must be of type ${String(params.type)}, not ${typeName(valueAt(value, error.instancePath))}`);
    } else {
      this.add(at, error.message);
    }
  }
}

interface SchemaError {
  keyword: string;
  instancePath: string;
  message: string;
  params: Record<string, unknown>;
}

function placeOf(start: string, pointer: string): string {
  const parts = pointer.split('/').slice(1);
  return parts.reduce((place, part) => {
    if (/^\d+$/.test(part)) return `${place}[${part}]`;
    return place === '' ? part : `${place}.${part.replaceAll('~1', '/').replaceAll('~0', '~')}`;
  }, start);
}

function valueAt(value: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce((found: unknown, part) => (found as Record<string, unknown> | undefined)?.[part], value);
}

function typeName(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
