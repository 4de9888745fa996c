import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { currentClient } from '../../event-loop-turns.ts';
import { limits } from '../../limits.ts';
import { readMore } from './body-turns.ts';
import { ChunkCount } from './chunk-count.ts';

const maxSeconds = 10;

/**
 * Reads a body that is refused for its size to its end, and keeps nothing of it. A client that is still sending when the connection closes
 * sees a broken connection instead of the answer; browsers do so too. Past a limit, a broken connection is all it gets.
 */
export async function drainBody(body: IncomingMessage): Promise<void> {
  if (body.complete || body.readableEnded || body.destroyed) return;
  let bytes = 0;
  const chunks = new ChunkCount();
  const enough = new AbortController();
  const client = currentClient();
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limits.maxDrainedBytes) enough.abort();
    if (!chunks.add(chunk.length)) body.destroy();
    else if (!readMore(client, chunk.length, () => body.resume())) body.pause();
  });
  // The stream that it was piped to reads no more, and would let it wait.
  body.unpipe();
  body.resume();
  const signal = AbortSignal.any([enough.signal, AbortSignal.timeout(maxSeconds * 1_000)]);
  await finished(body, { signal }).catch(() => {});
}
