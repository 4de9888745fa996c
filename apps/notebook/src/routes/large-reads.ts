import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Refusal } from '../errors.ts';
import { asBytes } from '../http/text-bytes.ts';
import { limits } from '../limits.ts';
import { FairPool } from '../operations/fair-pool.ts';
import { LargeReadPlaces, openStream } from './large-read-places.ts';

/** What one read holds is a page; what all hold together is this many pages. */
const reads = new LargeReadPlaces(queueOf(limits.maxLargeReadsAtOnce, limits.maxLargeReadsAtOnceOfOne));
const finds = queueOf(limits.maxLargeFindsAtOnce, limits.maxLargeFindsAtOnceOfOne);
const prints = queueOf(limits.maxLargeFindsAtOnce, limits.maxLargeFindsAtOnceOfOne);

/** Whoever reads slowly keeps a place for minutes: one client may not have them all. */
function queueOf(atOnce: number, maxAtOnceOfOne: number): FairPool {
  const detail = 'Too many large notebooks are being read right now.';
  const refusal = () => new Refusal('unavailable', { retryAfterSeconds: 2, detail });
  return new FairPool({ atOnce, maxAtOnceOfOne, maxWaiting: 256, maxWaitingOfOne: 64 }, refusal);
}

/** A search in a large notebook: what is answered is to be called once, at its end. */
export const enterLargeFind = (client: string): Promise<() => void> => finds.enter(client);

/** The making of a print's contents: as `enterLargeFind`. */
export const enterLargePrint = (client: string): Promise<() => void> => prints.enter(client);

/**
 * Sends a long text as it is made, no faster than it is taken.
 * @throws Refusal `unavailable` when too many wait for such an answer
 */
export async function sendLargeText(
  reply: FastifyReply,
  client: string,
  texts: AsyncIterable<string>,
  turn: 'in turn' | 'at once' = 'in turn',
): Promise<FastifyReply> {
  return sendLargeBytes(reply, client, asBytes(texts), turn);
}

/** The same of bytes. */
export async function sendLargeBytes(
  reply: FastifyReply,
  client: string,
  bytes: AsyncIterable<Uint8Array>,
  turn: 'in turn' | 'at once' = 'in turn',
): Promise<FastifyReply> {
  // Whoever asks for the head alone has nothing made for him: a book fetches its images.
  if (reply.request.method === 'HEAD') return reply.send(Readable.from([]));
  const stream = turn === 'in turn' ? await reads.open(client, bytes) : openStream(bytes);
  // Whoever takes a byte now and then would keep a place for ever.
  const timer = setTimeout(
    () => stream.destroy(new Error('The client read the answer too slowly.')),
    limits.maxLargeReadSeconds * 1_000,
  );
  stream.once('close', () => clearTimeout(timer));
  return reply.send(stream);
}
