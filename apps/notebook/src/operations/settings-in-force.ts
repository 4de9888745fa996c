import { type FieldError, Refusal } from '../errors.ts';

/**
 * A setting that is accepted is enforced. What these would promise is not built yet, so they are refused by name instead of
 * being stored and ignored; the ones that only say "off" are true already.
 */
const notInForce: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  visibility: value => (value === 'public' ? 'public notebooks are not available on this server yet' : undefined),
};

/** @throws Refusal `invalid`, naming each setting that is not in force */
export function requireSettingsInForce(input: Readonly<Record<string, unknown>>): void {
  const errors: FieldError[] = [];
  for (const [path, check] of Object.entries(notInForce)) {
    const message = input[path] === undefined ? undefined : check(input[path]);
    if (message !== undefined) errors.push({ path, message });
  }
  if (errors.length > 0)
    throw new Refusal('invalid', { detail: errors.map(error => `${error.path}: ${error.message}`).join('; '), errors });
}
