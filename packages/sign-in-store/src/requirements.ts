import { StoreError } from './errors.ts';
import { defaultLimits, type StoreLimits } from './limits.ts';

const invalid = (name: string, expected: string): StoreError => new StoreError('STORE_INVALID', `${name} must be ${expected}`);

/**
 * Milliseconds since 1970. An invalid date compares false with everything: a logout would not cover it. @throws
 * {@link StoreError} `STORE_INVALID`
 */
export function requireInstant(value: Date, name: string): number {
  const time: unknown = typeof value?.getTime === 'function' ? value.getTime() : undefined;
  if (typeof time === 'number' && Number.isFinite(time)) return time;
  throw invalid(name, 'a date');
}

/** @throws {@link StoreError} `STORE_INVALID` */
export function requireText(value: string, name: string): string {
  if (typeof value === 'string') return value;
  throw invalid(name, 'text');
}

/** An index of PostgreSQL takes little more in one row: a longer one would fail there on each try, like an outage. */
export const maxIndexedBytes = 2_500;

/** Checks a text that is stored as it is and indexed. @throws {@link StoreError} `STORE_INVALID` */
export function requireIndexedText(value: string, name: string): string {
  if (Buffer.byteLength(requireText(value, name)) <= maxIndexedBytes) return value;
  throw invalid(name, `text of at most ${maxIndexedBytes} bytes`);
}

/** @throws {@link StoreError} `STORE_INVALID` */
export function requireSeconds(value: number, name: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw invalid(name, 'a number of seconds');
}

/** @throws {@link StoreError} `STORE_INVALID` */
export function requireCount(value: number, name: string): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw invalid(name, 'a whole number from 0 up');
}

/** Completes the limits. A mistyped one, or one that is not a number, would limit nothing. @throws {@link StoreError} `STORE_INVALID` */
export function readLimits(given: Partial<StoreLimits> = {}): StoreLimits {
  const limits = { ...defaultLimits };
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaultLimits, name))
      throw new StoreError('STORE_INVALID', `there is no such limit: ${name.slice(0, 60)}`);
    if (value === undefined) continue;
    if (!Number.isSafeInteger(value) || value < 0) throw invalid(`limits.${name}`, 'a whole number from 0 up');
    limits[name as keyof StoreLimits] = value;
  }
  return limits;
}
