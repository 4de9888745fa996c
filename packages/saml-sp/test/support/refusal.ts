import { expect } from 'vitest';
import { SamlError, type SamlErrorCode } from '../../src/errors.ts';

const words = /[a-z]{2,}.* .*[a-z]{2,}/i;

/** Matches a refusal with that code that says in words what was found. */
export const refusal = (code: string): SamlError =>
  expect.objectContaining({ code, message: expect.stringMatching(words) }) as SamlError;

/** The code of a refusal, which must say in words what was found; anything else is a crash. */
export function codeOf(error: unknown): SamlErrorCode {
  if (!(error instanceof SamlError)) throw error;
  expect(error.message, error.code).toMatch(words);
  return error.code;
}

/** Matches a refusal with that code that says this. */
export const refusalIn = (code: SamlErrorCode, said: RegExp): SamlError =>
  expect.objectContaining({ code, message: expect.stringMatching(said) }) as SamlError;
