import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { findMismatches } from './mismatches.ts';
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
    for (const { at, why } of findMismatches(schema, value)) this.add(placeOf(place, at) || 'the file', why);
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
}

function placeOf(start: string, pointer: string): string {
  const parts = pointer.split('/').slice(1);
  return parts.reduce((place, part) => {
    if (/^\d+$/.test(part)) return `${place}[${part}]`;
    return place === '' ? part : `${place}.${part.replaceAll('~1', '/').replaceAll('~0', '~')}`;
  }, start);
}
