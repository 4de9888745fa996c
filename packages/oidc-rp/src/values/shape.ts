import { OidcError, type OidcErrorCode } from '../errors.ts';

/** The fault of a value, and its place. */
export interface Fault {
  /** The path to the value, such as `options.scopes[1]`. */
  path: string;
  expected: string;
  received: string;
}

/** Checks one value. @returns its fault, or undefined when it has none */
export type Check = (value: unknown, path: string) => Fault | undefined;

/** Throws if the check finds a fault. The value itself is never shown: it may be a secret in the wrong place. */
export function requireShape(value: unknown, path: string, check: Check, code: OidcErrorCode = 'OIDC_CONFIG_INVALID'): void {
  const fault = check(value, path);
  if (fault !== undefined) throw new OidcError(code, { check: fault.path, expected: fault.expected, received: fault.received });
}

/** A check with your own test. */
export function that(expected: string, holds: (value: unknown) => boolean): Check {
  return (value, path) => (holds(value) ? undefined : { path, expected, received: kindOf(value) });
}

/** Text of a bounded length, without control characters. */
export function text(maxLength = 4096): Check {
  return that(`a string of 1 to ${maxLength} characters without control characters`, value => isPlainText(value, maxLength));
}

/** `true` or `false`, not text. */
export const flag: Check = that('true or false', value => typeof value === 'boolean');

/** Any text. Its meaning is checked elsewhere. */
export const anyText: Check = that('a string', value => typeof value === 'string');

/** A web address, as text. */
export const webAddress: Check = that(
  'an address such as https://op.example.org',
  value => typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
);

/** A parsed URL: text has no `href` and would be taken for `undefined`. */
export const urlObject: Check = that('a URL object', value => typeof (value as URL | null | undefined)?.origin === 'string');

/** A function. */
export const callable: Check = that('a function', value => typeof value === 'function');

/** A number in a range. `NaN` and text are refused. */
export function numberIn(least: number, most: number): Check {
  return that(`a number from ${least} to ${most}`, value => typeof value === 'number' && value >= least && value <= most);
}

/** A whole number in a range. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): Check {
  const holds = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;
  return that(
    most === Number.MAX_SAFE_INTEGER ? `a whole number from ${least} up` : `a whole number from ${least} to ${most}`,
    holds,
  );
}

/** One of a few words. */
export function oneOf(words: readonly string[]): Check {
  return that(`one of ${words.join(', ')}`, value => typeof value === 'string' && words.includes(value));
}

/** An array whose items pass a check. */
export function listOf(item: Check, what: string, least = 0): Check {
  const array = that(least === 0 ? `an array of ${what}` : `an array of at least ${least} of ${what}`, value =>
    isList(value, least),
  );
  return (value, path) =>
    array(value, path) ?? firstFault((value as unknown[]).map((one, at) => () => item(one, `${path}[${at}]`)));
}

/** An object with arbitrary names whose values all pass one check: `{ hd: 'example.org' }`. */
export function dictionaryOf(item: Check, what: string): Check {
  const object = that(`an object of ${what}`, isRecord);
  return (value, path) =>
    object(value, path) ??
    firstFault(
      Object.entries(value as object).map(
        ([name, one]) =>
          () =>
            item(one, `${path}.${name}`),
      ),
    );
}

/** The value, or `null` if there is none. */
export function nullOr(check: Check): Check {
  return (value, path) => (value === null ? undefined : check(value, path));
}

/** Either of two kinds; the fault names both. */
export function either(left: Check, right: Check): Check {
  return (value, path) => {
    const faults = [left(value, path), right(value, path)];
    if (faults.includes(undefined)) return undefined;
    return { ...faults[0]!, expected: faults.map(fault => fault!.expected).join(', or ') };
  };
}

/**
 * The members of an object type: each optional one may be absent or undefined, all others must be present, and unknown ones are
 * refused.
 */
export type Members<T> = { [Name in keyof Required<T>]: { check: Check; optional: boolean } };

/** A member that must be present. */
export function must(check: Check): { check: Check; optional: false } {
  return { check, optional: false };
}

/** A member that may be absent. `null` is not absent. */
export function may(check: Check): { check: Check; optional: true } {
  return { check, optional: true };
}

/**
 * An object with these members and no others: a mistyped safeguard must not be silently absent. Inherited members count too,
 * because code that reads the object sees them.
 */
export function members<T>(known: Members<T>): Check {
  const names = Object.keys(known);
  const atLeast = having<T>(known);
  return (value, path) => object(value, path) ?? strangerIn(value as object, names, path) ?? atLeast(value, path);
}

const object: Check = that('an object', isRecord);

/** An object with at least these members; the caller may keep others beside them. */
export function having<T>(known: Members<T>): Check {
  const names = Object.keys(known) as (keyof T & string)[];
  return (value, path) =>
    object(value, path) ?? firstFault(names.map(name => () => memberFault((value as T)[name], `${path}.${name}`, known[name])));
}

function memberFault(value: unknown, path: string, member: { check: Check; optional: boolean }): Fault | undefined {
  return value === undefined && member.optional ? undefined : member.check(value, path);
}

function strangerIn(value: object, names: readonly string[], path: string): Fault | undefined {
  for (const name in value) {
    if (names.includes(name)) continue;
    return { path: `${path}.${name}`, expected: `only ${names.join(', ')}`, received: `the unknown name ${name}` };
  }
  return undefined;
}

function firstFault(checks: readonly (() => Fault | undefined)[]): Fault | undefined {
  for (const check of checks) {
    const fault = check();
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: unknown, least: number): boolean {
  return Array.isArray(value) && value.length >= least;
}

function isPlainText(value: unknown, maxLength: number): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  return typeof value === 'string' && value !== '' && value.length <= maxLength && !/[\u0000-\u001f\u007f]/.test(value);
}

// Numbers and booleans are shown; text may be a secret in the wrong place.
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'number' || typeof value === 'boolean') return `${typeof value} ${value}`;
  if (value === '') return 'an empty string';
  if (typeof value === 'string') return `a string of ${value.length} characters`;
  return Array.isArray(value) ? `an array of ${value.length}` : `a value of type ${typeof value}`;
}
