import { GateError } from '../errors.ts';
import { limits } from '../limits.ts';

/** A small chunk costs more memory for itself than for its bytes, and chunked bodies may consist of single bytes. */
const bytesPerChunk = 256;

/** A body that is arriving. */
export interface ArrivingBody {
  readonly source: string;
  readonly bytes: number;
}

interface Counted extends ArrivingBody {
  bytes: number;
  readonly refuse: (error: GateError) => void;
}

/**
 * Counts the bytes of all forms that are arriving: anybody may send them, each may take a minute, and 1,900 connections would hold a GB. Past
 * the limit, the source with the most bytes loses its largest body, so others can still send theirs.
 */
export class BodiesInFlight {
  readonly #maxBytes: number;
  readonly #bodies = new Set<Counted>();
  readonly #bySource = new Map<string, number>();
  #bytes = 0;

  constructor(maxBytes: number = limits.maxBodiesInFlightBytes) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @param refuse called when the body is given up for others */
  open(source: string, refuse: (error: GateError) => void): ArrivingBody {
    const body: Counted = { source, bytes: 0, refuse };
    this.#bodies.add(body);
    return body;
  }

  /** Counts a chunk. That same body may be refused. */
  add(body: ArrivingBody, chunkBytes: number): void {
    if (!this.#bodies.has(body as Counted)) return;
    this.#count(body as Counted, chunkBytes + bytesPerChunk);
    while (this.#bytes > this.#maxBytes) {
      const most = this.#greediest();
      if (most === undefined) return;
      this.close(most);
      most.refuse(new GateError('BUSY'));
    }
  }

  /** The body has arrived, or nobody waits for it. */
  close(body: ArrivingBody): void {
    if (this.#bodies.delete(body as Counted)) this.#count(body as Counted, -body.bytes);
  }

  #count(body: Counted, bytes: number): void {
    body.bytes += bytes;
    this.#bytes += bytes;
    const left = this.#bytesOf(body.source) + bytes;
    if (left === 0) this.#bySource.delete(body.source);
    else this.#bySource.set(body.source, left);
  }

  #bytesOf(source: string): number {
    return this.#bySource.get(source) ?? 0;
  }

  #greediest(): Counted | undefined {
    let most: Counted | undefined;
    for (const body of this.#bodies) {
      const more = most ? this.#bytesOf(body.source) - this.#bytesOf(most.source) || body.bytes - most.bytes : 1;
      if (more > 0) most = body;
    }
    return most;
  }
}
