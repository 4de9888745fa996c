import { randomBytes } from 'node:crypto';
import { Refusal } from '../../errors.ts';
import { maxValues, type Span, scanJson, tooManyValues } from './json-scan.ts';
import { cutText } from './json-text.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
/** Only the beginning of a body may be marked as UTF-8 (U+FEFF). */
const utf8Inside = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array, decoder: TextDecoder): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new Refusal('bad_request', { detail: 'The body is not valid UTF-8.' });
  }
}

/** @throws Refusal `bad_request` when the bytes are not UTF-8 */
export function readUtf8(body: Uint8Array): string {
  return decode(body, utf8);
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('bad_request', { detail: 'The body is not valid JSON.' });
  }
}

/** Bytes that are decoded and parsed in one step; at 12 µs for a first touch of a page of memory this takes up to 10 ms. */
const stepLength = 524_288;
/** The cost of work on a text beside its characters, in characters. */
const textCost = 256;
/** Shorter texts are parsed with what is around them. There may be 20,000 of them in a body. */
const longBytes = 256;

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

/** A text that comes in parts, each of them checked on its own: to look at the whole, the engine would copy all parts into one piece. */
class TextInParts {
  text = '';
  /** The first half of a pair whose other half may come with the next part. */
  #half = '';
  #fault: unknown;

  add(part: string): void {
    this.text += part;
    const unchecked = this.#half + part;
    const end = isHighSurrogate(unchecked.charCodeAt(unchecked.length - 1)) ? unchecked.length - 1 : unchecked.length;
    this.#half = unchecked.slice(end);
    this.#check(unchecked.slice(0, end));
  }

  end(): this {
    this.#check(this.#half);
    return this;
  }

  /** Not earlier: a text whose name is given again is not read, whatever it holds. */
  requireClean(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  #check(text: string): void {
    try {
      requireCleanText(text, 'The body');
    } catch (fault) {
      this.#fault ??= fault;
    }
  }
}

/** A body whose long texts are parsed on their own: the parser would hold the event loop for 50 ms. */
class LongTexts {
  readonly #body: Buffer;
  readonly #spans: readonly Span[];
  /** Begins a text that stands for a long one. Nobody can send it: it is made after the body has arrived. */
  readonly #mark = `\0${randomBytes(16).toString('hex')} `;
  readonly #texts: TextInParts[] = [];
  #done = 0;

  constructor(body: Buffer, spans: readonly Span[]) {
    this.#body = body;
    this.#spans = spans;
  }

  /** The body, with short texts in the places of the long ones. */
  *readRest(): Generator<void, string, void> {
    const pieces: string[] = [];
    let at = 0;
    for (const [index, { start, end }] of this.#spans.entries()) {
      if (this.#isNextStep(start - at + textCost)) yield;
      pieces.push(this.#decode(at, start), JSON.stringify(this.#mark + index));
      at = end;
    }
    pieces.push(this.#decode(at, this.#body.length));
    return pieces.join('');
  }

  *parse(): Generator<void, void, void> {
    for (const { start, end } of this.#spans) {
      const last = end - 1;
      const text = new TextInParts();
      for (let at = start + 1; at < last; ) {
        const next = last - at <= stepLength ? last : cutText(this.#body, at, at + stepLength);
        if (this.#isNextStep(next - at + textCost)) yield;
        text.add(parseJson(`"${decode(this.#body.subarray(at, next), utf8Inside)}"`) as string);
        at = next;
      }
      this.#texts.push(text.end());
    }
  }

  /** @returns the long text for which this one stands */
  find(text: string): TextInParts | undefined {
    return text.startsWith(this.#mark) ? this.#texts[Number(text.slice(this.#mark.length))] : undefined;
  }

  #decode(from: number, to: number): string {
    return decode(this.#body.subarray(from, to), from === 0 ? utf8 : utf8Inside);
  }

  /** Whether work of this cost is too much for what is left of the step, and begins the next one. */
  #isNextStep(cost: number): boolean {
    const fits = this.#done === 0 || this.#done + cost <= stepLength;
    this.#done = fits ? this.#done + cost : cost;
    return !fits;
  }
}

/** Puts the long texts into their places. */
function* readValues(parsed: unknown, texts: LongTexts | undefined): Generator<void, unknown, void> {
  const root = [parsed];
  const left: object[] = [root];
  // The root is in a list of ours.
  let seen = -1;
  let chars = 0;
  for (let value = left.pop(); value; value = left.pop()) {
    for (const [key, inner] of Object.entries(value)) {
      seen += 1;
      if (seen > maxValues) throw tooManyValues();
      requireCleanText(key, 'A name in the body');
      if (typeof inner === 'string') {
        const long = texts?.find(inner);
        if (long) {
          Object.assign(value, { [key]: long.text });
          long.requireClean();
        } else requireCleanText(inner, 'The body');
        chars += inner.length;
        if (chars < stepLength) continue;
        chars = 0;
        yield;
      } else if (typeof inner === 'object' && inner !== null) left.push(inner);
    }
  }
  return root[0];
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength);

/** `readJson` in steps of some milliseconds: for a large body, each step gets its own turn of the event loop. */
export function* readJsonInSteps(bytes: Uint8Array): Generator<void, unknown, void> {
  const body = asBuffer(bytes);
  const texts = new LongTexts(body, yield* scanJson(body, longBytes));
  yield;
  const rest = yield* texts.readRest();
  if (rest.trim() === '') return undefined;
  yield;
  const value = parseJson(rest);
  yield;
  yield* texts.parse();
  return yield* readValues(value, texts);
}

/** The result of steps that follow each other at once. */
function finish<Result>(steps: Generator<void, Result, void>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** @throws Refusal `bad_request` for malformed JSON, bad UTF-8, NUL or lone surrogates, `too_large` for too many values */
export function readJson(bytes: Uint8Array): unknown {
  finish(scanJson(asBuffer(bytes), Number.POSITIVE_INFINITY));
  const text = readUtf8(bytes);
  return text.trim() === '' ? undefined : finish(readValues(parseJson(text), undefined));
}
