import { Refusal } from '../errors.ts';

/** No request needs more values than a notebook of 200 pages; a body of millions would cost more to check than to send. */
const maxValues = 10_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws Refusal `bad_request` when the bytes are not UTF-8 */
export function readUtf8(body: Uint8Array): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new Refusal('bad_request', { detail: 'The body is not valid UTF-8.' });
  }
}

/** Not every engine can store NUL, and a lone surrogate has no UTF-8 form: both are refused, never dropped. */
export function requireCleanText(text: string, where: string): string {
  if (text.includes('\0')) throw new Refusal('bad_request', { detail: `${where} holds a NUL character.` });
  if (!text.isWellFormed())
    throw new Refusal('bad_request', { detail: `${where} holds a lone surrogate (half of a UTF-16 pair).` });
  return text;
}

/**
 * A form's bytes are behind percents. `URLSearchParams` would put U+FFFD for what is not UTF-8, and the words would be changed silently. A
 * percent without two digits is a character.
 */
export function readForm(text: string): URLSearchParams {
  try {
    decodeURIComponent(text.replace(/%(?![\dA-Fa-f]{2})/g, '%25'));
  } catch {
    throw new Refusal('bad_request', { detail: 'The form is not valid UTF-8.' });
  }
  const form = new URLSearchParams(text);
  for (const [name, value] of form) requireCleanText(name + value, 'The form');
  return form;
}

function requireCleanValues(root: unknown): void {
  const left: unknown[] = [root];
  let seen = 0;
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string') requireCleanText(value, 'The body');
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      seen += 1;
      if (seen > maxValues) throw tooManyValues();
      requireCleanText(key, 'A name in the body');
      left.push(inner);
    }
  }
}

const [quote, backslash, comma, openBracket, openBrace] = [34, 92, 44, 91, 123];

/** The end of the string that begins at `start`, after its quote: the first unescaped quote, or the end of the body. */
function endOfText(body: Buffer, start: number): number {
  for (let end = body.indexOf(quote, start); end !== -1; end = body.indexOf(quote, end + 1)) {
    let escapes = 0;
    while (end - escapes > start && body[end - escapes - 1] === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return body.length;
}

/**
 * Scans the bytes before the parser builds an object with a million names: parsing that takes a second and more, the scan some
 * milliseconds.
 */
function requireFewValues(bytes: Uint8Array): void {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let values = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === quote) at = endOfText(body, at + 1);
    else if (byte === comma || byte === openBracket || byte === openBrace) {
      values += 1;
      // An object and the comma after it are two characters for one value.
      if (values > 2 * maxValues) throw tooManyValues();
    }
  }
}

function tooManyValues(): Refusal {
  return new Refusal('too_large', { detail: `The body holds more than ${maxValues} values.` });
}

/**
 * A member whose name is one character, written as an escape. V8 13.6 to 14.6 (Node 24 and 26) may read any such name as `\`. No request of
 * ours has one, so it is refused rather than guessed.
 */
const misreadName = /"\\(?:u[\dA-Fa-f]{4}|[^u])"[\t\n\r ]*:/y;

function requireReadableNames(text: string): void {
  // Searches for the first two characters: a regular expression that tries every position takes as long as the parser.
  for (let at = text.indexOf('"\\'); at !== -1; at = text.indexOf('"\\', at + 1)) {
    misreadName.lastIndex = at;
    if (misreadName.test(text)) throw new Refusal('bad_request', { detail: 'A name in the body is a single escaped character.' });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('bad_request', { detail: 'The body is not valid JSON.' });
  }
}

/** The steps of `readJson`, each of which scans the whole body: for a large body, each step gets its own turn of the event loop. */
export function* readJsonInSteps(body: Uint8Array): Generator<void, unknown, void> {
  requireFewValues(body);
  yield;
  const text = readUtf8(body);
  if (text.trim() === '') return undefined;
  requireReadableNames(text);
  yield;
  const value = parseJson(text);
  yield;
  requireCleanValues(value);
  return value;
}

/** @throws Refusal `bad_request` for malformed JSON, bad UTF-8, NUL or lone surrogates, `too_large` for too many values */
export function readJson(body: Uint8Array): unknown {
  const steps = readJsonInSteps(body);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
