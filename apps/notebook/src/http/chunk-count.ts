const freeChunks = 4_096;
const leastMeanBytes = 8;

/**
 * Of a body that comes in chunks (RFC 9112 §7.1). Each costs the event loop some microseconds however little it carries: 4 MB in chunks of a
 * byte, which Node reads in a few turns, hold it for a tenth of a second.
 */
export class ChunkCount {
  #chunks = 0;
  #bytes = 0;

  /** False: they are too many for what they carry. No program that writes lines sends its lines so. */
  add(bytes: number): boolean {
    this.#chunks += 1;
    this.#bytes += bytes;
    return this.#chunks <= freeChunks || this.#bytes >= this.#chunks * leastMeanBytes;
  }
}
