import { quote, SamlError } from '../errors.ts';

/** An instant as saml-core-2.0 1.3.3 requires it: UTC, `Z`, optional fraction. No zones, no 24:00, no leap second, no year 10000. */
const pattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,30}))?Z$/;

/** Reads an xs:dateTime in UTC, in linear time, from at most 64 characters. */
export function readInstant(text: string): Date {
  const found = text.length <= 64 ? pattern.exec(text) : null;
  if (found === null) throw new SamlError('SAML_INSTANT', `${quote(text)} is not a UTC date and time`);
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(
    Date.UTC(year, month - 1, day, hour, minute, second, Number((found[7] ?? '').padEnd(3, '0').slice(0, 3))),
  );
  // Date.UTC turns 30 February into March, so the result must equal what was written.
  if (date.toISOString().slice(0, 19) !== text.slice(0, 19))
    throw new SamlError('SAML_INSTANT', `${quote(text)} is not a valid date and time`);
  return date;
}

/** An instant as we write it: whole seconds, `Z`. */
export const writeInstant = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;

/** The current time, and how far clocks may differ. */
export interface Clock {
  now: Date;
  toleranceSeconds: number;
}

/** Whether the instant is in the future, even by a slow clock. */
export const isFuture = (instant: Date, clock: Clock): boolean =>
  instant.getTime() > clock.now.getTime() + clock.toleranceSeconds * 1000;

/** Whether `NotOnOrAfter` has passed, even by a fast clock. */
export const hasPassed = (instant: Date, clock: Clock): boolean =>
  instant.getTime() + clock.toleranceSeconds * 1000 <= clock.now.getTime();
