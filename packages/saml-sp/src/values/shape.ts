import { SamlError, type SamlErrorCode } from '../errors.ts';

/**
 * Reads a value that came from outside the type system (options written in JavaScript, JSON from a store) or throws a
 * `ShapeFault`. The result has the promised type: nothing is converted, and no unknown name is silently skipped.
 */
export type Reader<T> = (value: unknown, path: string) => T;

class ShapeFault extends Error {}

const nameOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isFinite(value) ? `the number ${value}` : String(value);
  if (typeof value === 'boolean' || value === undefined) return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
};

/** Reports that a value does not belong there. Text is never repeated: it may be a secret. */
export const misfit = (path: string, expected: string, value: unknown): never => {
  throw new ShapeFault(`${path}: expected ${expected}, got ${nameOf(value)}`);
};

/** Any text that meets the condition described by `expected`. */
export const text =
  (expected = 'a string that is not empty', accepts: (value: string) => boolean = value => value !== ''): Reader<string> =>
  (value, path) =>
    typeof value === 'string' && accepts(value) ? value : misfit(path, expected, value);

export const flag: Reader<boolean> = (value, path) => (typeof value === 'boolean' ? value : misfit(path, 'true or false', value));

/** A number from `least` to `most`. Numeric text is refused: `"5" + 60` is not 65. */
export const number =
  (least: number, most: number): Reader<number> =>
  (value, path) =>
    typeof value === 'number' && value >= least && value <= most
      ? value
      : misfit(path, `a number from ${least} to ${most}`, value);

export const oneOf =
  <const T extends string>(...words: readonly T[]): Reader<T> =>
  (value, path) =>
    words.includes(value as T) ? (value as T) : misfit(path, `one of ${words.join(', ')}`, value);

export const fn =
  <T>(): Reader<T> =>
  (value, path) =>
    typeof value === 'function' ? (value as T) : misfit(path, 'a function', value);

/** An object with these methods, ours or the caller's. */
export const having =
  <T>(expected: string, ...methods: readonly string[]): Reader<T> =>
  (value, path) =>
    typeof value === 'object' &&
    value !== null &&
    methods.every(name => typeof (value as Record<string, unknown>)[name] === 'function')
      ? (value as T)
      : misfit(path, expected, value);

export const optional =
  <T>(reader: Reader<T>): Reader<T | undefined> =>
  (value, path) =>
    value === undefined ? undefined : reader(value, path);

export const listOf =
  <T>(reader: Reader<T>, of: string, most = 10_000): Reader<T[]> =>
  (value, path) =>
    Array.isArray(value) && value.length <= most
      ? value.map((item, at) => reader(item, `${path}[${at}]`))
      : misfit(path, `an array of ${of}`, value);

/** The first reader that accepts the value; `expected` describes all of them. */
export const either =
  <A, B>(first: Reader<A>, second: Reader<B>, expected: string): Reader<A | B> =>
  (value, path) => {
    for (const reader of [first, second]) {
      try {
        return reader(value, path);
      } catch (error) {
        if (!(error instanceof ShapeFault)) throw error;
      }
    }
    return misfit(path, expected, value);
  };

type Read<R extends Record<string, Reader<unknown>>> = { [K in keyof R]: ReturnType<R[K]> };

/** An object with at least these members; the caller may keep others beside them. */
export const holding =
  <R extends Record<string, Reader<unknown>>>(members: R): Reader<Read<R>> =>
  (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return misfit(path, 'an object', value);
    for (const [name, reader] of Object.entries(members)) reader((value as Record<string, unknown>)[name], `${path}.${name}`);
    return value as Read<R>;
  };

/** An object with exactly these members: a misspelled safeguard must not be silently absent. */
export const shape =
  <R extends Record<string, Reader<unknown>>>(members: R): Reader<Read<R>> =>
  (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return misfit(path, 'an object', value);
    for (const name of Object.keys(value))
      if (!Object.hasOwn(members, name)) throw new ShapeFault(`${path}.${name.slice(0, 60)}: there is no such setting`);
    const given = value as Record<string, unknown>;
    const entries = Object.entries(members).map(([name, reader]) => [name, reader(given[name], `${path}.${name}`)] as const);
    return Object.fromEntries(entries.filter(([, read]) => read !== undefined)) as Read<R>;
  };

/**
 * Runs a reader and turns its fault into an error whose message begins with the path.
 * @throws SamlError with that code
 */
export function readShape<T>(value: unknown, path: string, reader: Reader<T>, code: SamlErrorCode = 'SAML_CONFIG_INVALID'): T {
  try {
    return reader(value, path);
  } catch (error) {
    if (error instanceof ShapeFault) throw new SamlError(code, error.message);
    throw error;
  }
}
