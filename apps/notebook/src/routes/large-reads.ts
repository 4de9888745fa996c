import { finished, Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Refusal } from '../errors.ts';
import { networkOf } from '../http/addresses/client-ip.ts';
import { asBytes } from '../http/answers/text-bytes.ts';
import { limits } from '../limits.ts';
import { type CopiedNotebook, copyNotebook, type Wanted } from '../operations/copy-notebook.ts';
import { FairPool } from '../operations/fair-pool.ts';
import type { Parts } from '../operations/parts.ts';
import type { NotebookRead } from '../operations/read-notebook.ts';
import { clientOf } from './context.ts';
import { LargeReadPlaces, openStream } from './large-read-places.ts';

/** One read holds one page in memory, so all together hold this many pages. */
const reads = new LargeReadPlaces(queueOf(limits.maxLargeReadsAtOnce, limits.maxLargeReadsAtOncePerClient));
const finds = queueOf(limits.maxLargeFindsAtOnce, limits.maxLargeFindsAtOncePerClient);
const prints = queueOf(limits.maxLargeFindsAtOnce, limits.maxLargeFindsAtOncePerClient);

/** At the pace of the database: what is copied holds no place. */
const copies = queueOf(limits.maxLargeFindsAtOnce, limits.maxLargeFindsAtOncePerClient);

/** A slow reader keeps a place for minutes: one client may not have them all. */
function queueOf(atOnce: number, maxAtOncePerClient: number): FairPool {
  const detail = 'Too many large notebooks are being read right now.';
  const refusal = () => new Refusal('unavailable', { retryAfterSeconds: 2, detail });
  return new FairPool({ atOnce, maxAtOncePerClient, maxWaiting: 256, maxWaitingPerClient: 64, networkOf }, refusal);
}

/** For a search in a large notebook. Call the returned function once, when the search ends. */
export const enterLargeFind = (client: string): Promise<() => void> => finds.enter(client);

/** For making a print's table of contents; like `enterLargeFind`. */
export const enterLargePrint = (client: string): Promise<() => void> => prints.enter(client);

/**
 * A copy of a large notebook for an answer, as it is at one moment; it lasts until the answer is over.
 * @throws Refusal
 */
export async function copyForAnswer<Also>(
  parts: Pick<Parts, 'store'>,
  reply: FastifyReply,
  seen: Pick<NotebookRead, 'notebook' | 'access'>,
  look: () => Promise<Pick<NotebookRead, 'notebook' | 'access'>>,
  wanted: Wanted<Also>,
): Promise<CopiedNotebook<Also>> {
  // A HEAD has no text.
  const isWanted = reply.request.method === 'HEAD' ? () => false : wanted.isWanted;
  const copied = await copies.run(clientOf(reply.request), () => copyNotebook(parts, seen, look, { ...wanted, isWanted }));
  finished(reply.raw, () => void copied.close());
  return copied;
}

/** For short texts that are made of long pages, read one by one. */
export const makeForAnswer = <Made>(client: string, make: () => Promise<Made>): Promise<Made> => copies.run(client, make);

/** For what needs only the pages. */
export const nothingElse = { readAlso: async () => {} };

/**
 * Sends a long text while it is made, no faster than the client takes it.
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

/** The same for bytes. */
export async function sendLargeBytes(
  reply: FastifyReply,
  client: string,
  bytes: AsyncIterable<Uint8Array>,
  turn: 'in turn' | 'at once' = 'in turn',
): Promise<FastifyReply> {
  // A HEAD generates no body: for a book, that would fetch its images.
  if (reply.request.method === 'HEAD') return reply.send(Readable.from([]));
  const stream = turn === 'in turn' ? await reads.open(client, bytes) : openStream(bytes);
  // A client that takes only a byte now and then would keep a place forever.
  const timer = setTimeout(
    () => stream.destroy(new Error('The client read the answer too slowly.')),
    limits.maxLargeReadSeconds * 1_000,
  );
  stream.once('close', () => clearTimeout(timer));
  return reply.send(stream);
}
