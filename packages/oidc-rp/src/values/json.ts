import { OidcError } from '../errors.ts';
import { parseEscapedNames } from './escaped-json.ts';

/** A JSON object without a prototype, so that `constructor` in it is a member like any other. */
export type JsonObject = { [member: string]: unknown };

const maxDepth = 32;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON object from bytes: UTF-8 without a byte order mark, no duplicate member, none called `__proto__`, at most 32
 * levels.
 *
 * @param bytes the text as received
 * @param subject names the text in errors, for example `id_token`
 * @throws {@link OidcError} `OIDC_JSON_INVALID`, `OIDC_JSON_DUPLICATE_MEMBER`, `OIDC_JSON_TOO_DEEP`
 */
export function readJsonObject(bytes: Uint8Array, subject: string): JsonObject {
  let text: string;
  let value: unknown;
  try {
    text = strictUtf8.decode(bytes);
    value = JSON.parse(text);
  } catch {
    // The engine's message quotes the text, which may be a secret.
    throw new OidcError('OIDC_JSON_INVALID', { check: subject });
  }
  if (!isJsonObject(value)) throw new OidcError('OIDC_JSON_INVALID', { check: subject, expected: 'an object' });
  const written = writtenNames(text);
  const kept = keptNames(value, 1, subject);
  if (written.escaped) return readEscaped(text, written.count, subject);
  refuseDuplicates(written.count, kept, subject);
  return withoutPrototype(value);
}

// The depth was already checked on the engine's result.
function readEscaped(text: string, written: number, subject: string): JsonObject {
  const value = parseEscapedNames(text) as JsonObject;
  refuseDuplicates(written, keptNames(value, 1, subject), subject);
  return withoutPrototype(value);
}

/** Whether the value is an object and neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object without members that are null: some providers list every member they know, with null where they have no value. */
export function withoutNulls(object: JsonObject): JsonObject {
  const kept: JsonObject = Object.create(null);
  for (const [name, value] of Object.entries(object)) if (value !== null) kept[name] = value;
  return kept;
}

/** Removes the object's prototype. It must come straight from the parser, because it is changed in place. */
export function withoutPrototype(value: JsonObject): JsonObject {
  return Object.setPrototypeOf(value, null);
}

/**
 * Two parsers of `{"sub":"a","sub":"b"}` may see two people, and `JSON.parse` silently takes the last. The text is already known
 * to be JSON, so counting is enough: a duplicate name is written twice but kept once.
 */
function refuseDuplicates(written: number, kept: number, subject: string): void {
  if (written !== kept) throw new OidcError('OIDC_JSON_DUPLICATE_MEMBER', { check: subject, expected: 'each name only once' });
}

/** How many strings are followed by a colon, and whether one of them contains escapes. */
function writtenNames(text: string): { count: number; escaped: boolean } {
  let count = 0;
  let escaped = false;
  // Most texts have no escapes at all: then a string ends at the next quote.
  const plain = !text.includes('\\');
  for (let start = text.indexOf('"'); start !== -1; ) {
    const end = plain ? text.indexOf('"', start + 1) : endOfString(text, start);
    if (text.charCodeAt(afterSpace(text, end + 1)) === 0x3a) {
      count += 1;
      escaped ||= !plain && text.slice(start, end).includes('\\');
    }
    start = text.indexOf('"', end + 1);
  }
  return { count, escaped };
}

function keptNames(value: unknown, depth: number, subject: string): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > maxDepth) throw new OidcError('OIDC_JSON_TOO_DEEP', { check: subject, expected: `at most ${maxDepth} levels` });
  if (Array.isArray(value)) return value.reduce<number>((count, item) => count + keptNames(item, depth + 1, subject), 0);
  // No provider has a use for it, and copying the object member by member (`Object.assign`) would set the copy's prototype.
  if (Object.hasOwn(value, '__proto__'))
    throw new OidcError('OIDC_JSON_INVALID', { check: subject, expected: 'no member __proto__' });
  const kept = Object.values(value);
  let count = kept.length;
  for (const member of kept) if (typeof member === 'object') count += keptNames(member, depth + 1, subject);
  return count;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (precedingBackslashes(text, end) % 2 === 1) end = text.indexOf('"', end + 1);
  return end;
}

function precedingBackslashes(text: string, end: number): number {
  let count = 0;
  while (text.charCodeAt(end - 1 - count) === 0x5c) count += 1;
  return count;
}

function afterSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}
