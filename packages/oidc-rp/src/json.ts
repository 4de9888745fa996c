import { OidcError } from './errors.ts';

/** A JSON object without a prototype, so that `constructor` or `__proto__` in it are members like any other. */
export type JsonObject = { [member: string]: unknown };

const maxDepth = 32;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a JSON object from bytes: UTF-8 without a byte order mark, no member twice, at most 32 levels.
 *
 * @param bytes what came
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
  refuseDuplicates(text, subject);
  return withoutPrototype(value);
}

/** Whether the value is an object and neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same members on an object that inherits nothing. */
export function withoutPrototype(value: JsonObject): JsonObject {
  return Object.assign(Object.create(null) as JsonObject, value);
}

/**
 * Two readers of `{"sub":"a","sub":"b"}` may see two people, and `JSON.parse` silently takes the last. The text is
 * already known to be JSON, so this walk only has to find strings, braces and commas.
 */
function refuseDuplicates(text: string, subject: string): void {
  const open: (Set<string> | null)[] = [];
  let members: Set<string> | null = null;
  let expectsName = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x22) {
      const end = endOfString(text, at);
      if (expectsName && members !== null) addName(members, text.slice(at, end + 1), subject);
      expectsName = false;
      at = end;
    } else if (character === 0x7b || character === 0x5b) {
      open.push(members);
      if (open.length > maxDepth)
        throw new OidcError('OIDC_JSON_TOO_DEEP', { check: subject, expected: `at most ${maxDepth} levels` });
      members = character === 0x7b ? new Set() : null;
      expectsName = members !== null;
    } else if (character === 0x7d || character === 0x5d) {
      members = open.pop() ?? null;
      expectsName = false;
    } else if (character === 0x2c) {
      expectsName = members !== null;
    }
  }
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

function addName(members: Set<string>, quoted: string, subject: string): void {
  // `"\u0061lg"` and `"alg"` are one name.
  const name = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  if (members.has(name)) throw new OidcError('OIDC_JSON_DUPLICATE_MEMBER', { check: subject, received: name });
  members.add(name);
}
