import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { limits } from '../../limits.ts';
import { recordHeldBytes } from './held-answers.ts';
import { asBytes } from './text-bytes.ts';

/** Texts are written in pieces of this many characters; some become six times as long in JSON. */
const pieceChars = 16_384;

/** Longer answers are written in pieces: written at once, a page of 1 MiB blocks the process for 25 ms and more. */
const longChars = 131_072;

type Json = object | string | number | boolean | null | undefined;

/** `JSON.stringify(value)` in pieces of some ten thousand characters. Supports only JSON's own types: no `toJSON`, no dates. */
export function* jsonPieces(value: Json): Generator<string> {
  let piece = '';
  for (const part of parts(value)) {
    piece += part;
    if (piece.length < pieceChars) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function* parts(value: Json): Generator<string> {
  if (typeof value === 'string') yield* textParts(value);
  else if (Array.isArray(value)) yield* arrayParts(value);
  else if (typeof value === 'object' && value !== null) yield* objectParts(value);
  else yield JSON.stringify(value) ?? 'null';
}

function* arrayParts(items: readonly Json[]): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield before;
    yield* parts(item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

function* objectParts(value: object): Generator<string> {
  let before = '{';
  for (const [name, inner] of Object.entries(value) as [string, Json][]) {
    if (inner === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    yield* parts(inner);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

/** A text as a JSON string, with its quotes. */
export function* textParts(text: string): Generator<string> {
  yield '"';
  for (let at = 0; at < text.length; ) {
    const end = outsidePair(text, at + pieceChars);
    yield JSON.stringify(text.slice(at, end)).slice(1, -1);
    at = end;
  }
  yield '"';
}

/** Half of a surrogate pair would be written as an escape. */
function outsidePair(text: string, at: number): number {
  const low = text.charCodeAt(at);
  return low >= 0xdc00 && low <= 0xdfff ? at + 1 : Math.min(at, text.length);
}

/** The number of characters in all of its texts. */
function countChars(value: Json): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  for (const inner of Object.values(value) as Json[]) sum += countChars(inner);
  return sum;
}

/** Sends a value of any length as JSON. */
export function sendJson(reply: FastifyReply, value: object): FastifyReply {
  return sendLongJson(reply, value, 'application/json; charset=utf-8') ?? reply.send(value);
}

/**
 * Sends a long value: written in turns of the event loop as its reader takes it, and counted as unread until then.
 * @returns undefined when it is short, and nothing was sent
 */
export function sendLongJson(reply: FastifyReply, value: object, type: string): FastifyReply | undefined {
  const chars = countChars(value);
  if (chars <= longChars) return undefined;
  const stream = Readable.from(asBytes(jsonPieces(value)), { objectMode: false });
  recordHeldBytes(stream, chars);
  // A client that takes only a byte now and then would hold the answer forever.
  const tooSlow = () => stream.destroy(new Error('The client read the answer too slowly.'));
  const timer = setTimeout(tooSlow, limits.maxLargeReadSeconds * 1_000);
  stream.once('close', () => clearTimeout(timer));
  return reply.header('content-type', type).send(stream);
}
