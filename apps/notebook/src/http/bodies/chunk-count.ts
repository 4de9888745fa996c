const freeChunks = 4_096;
const leastMeanBytes = 8;

/**
 * Counts the chunks of a body (RFC 9112 §7.1). Each costs the event loop some microseconds however little it carries: 4 MB in one-byte
 * chunks, which Node reads in a few turns, block it for a tenth of a second.
 */
export class ChunkCount {
  #chunks = 0;
  #bytes = 0;

  /** Returns false when there are too many chunks for their content. No program sends lines in chunks this small. */
  add(bytes: number): boolean {
    this.#chunks += 1;
    this.#bytes += bytes;
    return this.#chunks <= freeChunks || this.#bytes >= this.#chunks * leastMeanBytes;
  }
}
