/** A request target that rules can safely be applied to: what we compare with the rules, and the exact bytes that go upstream. */
export interface RequestPath {
  /** Decoded, without the query, starting with one slash: compared with the rules. */
  readonly path: string;
  /** Path and query exactly as received. */
  readonly target: string;
}

export type PathVerdict =
  | { readonly kind: 'path'; readonly value: RequestPath }
  | { readonly kind: 'refused'; readonly why: string };

const maxTargetLength = 16_384;

/**
 * C1 controls, format characters (zero-width, bidirectional), variation selectors, full-width slashes and dots: other servers
 * fold or drop them.
 */
const readDifferently =
  /[\u0080-\u009f\u2024\u2028\u2029\u2044\u2215\u2216\ufe52\ufe68\uff0e\uff0f\uff3c]|\p{Cf}|\p{Variation_Selector}/u;

/** More marks than text needs (UAX #15 §13). NFC sorts the marks of a run in time that grows with the square of its length. */
const tooManyMarks = /\p{M}{31}/u;

/** Most paths have only letters, digits, - and _, which all servers read alike. */
const plain = /^(?:\/[A-Za-z0-9_-]+)+\/?$/;

/**
 * Reads a request target. Whatever two servers could read differently is refused, not repaired: encoded slashes, backslashes and
 * dots, empty and dot segments, path parameters (`;`), double encoding, control characters. So a rule applies to exactly what the
 * upstream will see.
 */
export function readRequestPath(target: string): PathVerdict {
  if (target.length <= maxTargetLength && plain.test(target)) return { kind: 'path', value: { path: target, target } };
  const refused = (why: string): PathVerdict => ({ kind: 'refused', why });
  if (target.length > maxTargetLength) return refused('the address is too long');
  if (!target.startsWith('/')) return refused('the request target must be a path');
  if (target.includes('#')) return refused('the address contains a fragment');
  if (/[^\x21-\x7e]/.test(target)) return refused('the address contains characters that must be encoded');
  const mark = target.indexOf('?');
  const raw = mark === -1 ? target : target.slice(0, mark);
  if (raw.includes('\\') || /%5c/i.test(raw)) return refused('the path contains a backslash');
  if (raw.includes('//')) return refused('the path contains an empty segment');
  if (/%2f/i.test(raw)) return refused('the path contains an encoded slash');
  if (raw.includes(';') || /%3b/i.test(raw)) return refused('the path contains a semicolon');
  if (/%(?![0-9a-f]{2})/i.test(raw)) return refused('the path contains a malformed percent-encoding');
  if (/%(?:[01][0-9a-f]|7f|23|3f)/i.test(raw)) return refused('the path contains an encoded control character, ? or #');
  let path: string;
  try {
    path = decodeURIComponent(raw);
  } catch {
    return refused('the path is not UTF-8');
  }
  if (/%[0-9a-f]{2}/i.test(path)) return refused('the path is encoded twice');
  if (/(?:^|\/)\.{1,2}(?:\/|$)/.test(path)) return refused('the path contains a dot segment');
  if (readDifferently.test(path)) return refused('the path contains a character that servers read in different ways');
  if (tooManyMarks.test(path)) return refused('the path contains more than 30 combining marks in a row');
  return { kind: 'path', value: { path: path.normalize('NFC'), target } };
}
