import { expect } from 'vitest';
import { SamlError, type SamlErrorCode } from '../../src/errors.ts';

/** The code of a refusal, which must say in words what was found; anything else is a crash. */
export function codeOf(error: unknown): SamlErrorCode {
  if (!(error instanceof SamlError)) throw error;
  expect(error.message, error.code).toMatch(/[a-z]{2,}.* .*[a-z]{2,}/i);
  return error.code;
}
