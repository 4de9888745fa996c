import { Refusal } from '../../errors.ts';

/** No request needs more values than a notebook of 200 pages; a body of millions would cost more to check than to send. */
export const maxValues = 10_000;

/** Bytes that are looked at one by one in a step; this takes some milliseconds. */
const stepBytes = 524_288;

/** Quotes often come together. After one that ends nothing, so many bytes are looked at one by one: a search for each takes 50 times as long. */
const walkedBytes = 64;

/** A text in a body, with its quotes: from `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const [quote, backslash, comma, colon, openBracket, openBrace, u] = [34, 92, 44, 58, 91, 123, 117];

export function tooManyValues(): Refusal {
  return new Refusal('too_large', { detail: `The body holds more than ${maxValues} values.` });
}

/**
 * V8 13.6 to 14.6 (Node 24 and 26) may read any name that is one character, written as an escape, as `\`. No request of ours has one, so it
 * is refused rather than guessed.
 */
function requireReadableName(body: Buffer, { start, end }: Span): void {
  if (body[start + 1] !== backslash) return;
  const escaped = end - start - 2;
  if (body[start + 2] === u ? escaped === 6 : escaped === 2)
    throw new Refusal('bad_request', { detail: 'A name in the body is a single escaped character.' });
}

/** Counts the bytes that were looked at one by one, and ends the step when there were enough. */
class Step {
  #looked = 0;

  isOver(bytes: number): boolean {
    this.#looked += bytes;
    if (this.#looked < stepBytes) return false;
    this.#looked = 0;
    return true;
  }
}

/** The place behind the closing quote of a text that begins at `start`; behind the body when there is none. */
function* findEnd(body: Buffer, start: number, step: Step): Generator<void, number, void> {
  let at = start + 1;
  for (;;) {
    const found = body.indexOf(quote, at);
    if (found === -1) return body.length + 1;
    let escapes = 0;
    while (found - escapes > at && body[found - escapes - 1] === backslash) escapes += 1;
    if (escapes % 2 === 0) return found + 1;
    at = found + 1;
    const stop = Math.min(at + walkedBytes, body.length);
    while (at < stop) {
      const byte = body[at]!;
      if (byte === quote) return at + 1;
      at += byte === backslash ? 2 : 1;
    }
    if (step.isOver(walkedBytes + escapes)) yield;
  }
}

/**
 * Scans a body of JSON before the parser builds an object with a million names: parsing that takes a second and more, the scan some
 * milliseconds. It does not check whether the JSON is valid.
 * @returns where its long texts are
 * @throws Refusal `too_large` for too many values, `bad_request` for a name that could be misread
 */
export function* scanJson(body: Buffer, longBytes: number): Generator<void, readonly Span[], void> {
  const long: Span[] = [];
  const step = new Step();
  let values = 0;
  let at = 0;
  let stop = stepBytes;
  /** In valid JSON, the text before a colon is a name. */
  let last: Span | undefined;
  while (at < body.length) {
    const byte = body[at];
    if (byte === quote) {
      const end = yield* findEnd(body, at, step);
      last = { start: at, end };
      const isClosed = end <= body.length;
      if (isClosed && end - at >= longBytes) long.push(last);
      stop += end - at - 1;
      at = end;
      continue;
    }
    if (byte === comma || byte === openBracket || byte === openBrace) {
      values += 1;
      // An object and the comma after it are two characters for one value.
      if (values > 2 * maxValues) throw tooManyValues();
    } else if (byte === colon && last) {
      requireReadableName(body, last);
      // Names are read with what is around them.
      if (long.at(-1) === last) long.pop();
      last = undefined;
    }
    at += 1;
    if (at >= stop) {
      stop = at + stepBytes;
      yield;
    }
  }
  return long;
}
