/** Limit of routes whose requests are counted; the service has fewer. */
const maxRoutes = 256;
const beatAt = 0;
const lastAt = 1;
/** 0: no text is being worked on. */
const textRevisionAt = 2;
const textLengthAt = 3;
const textIdAt = 4;
/** A page id has 12. */
const maxIdBytes = 64;
const countsAt = textIdAt + maxIdBytes / Int32Array.BYTES_PER_ELEMENT;

/** Memory that the service's thread writes and the watching thread reads, whatever either of them is doing. */
export type PulseMemory = SharedArrayBuffer;

export function createPulseMemory(): PulseMemory {
  return new SharedArrayBuffer((countsAt + maxRoutes) * Int32Array.BYTES_PER_ELEMENT);
}

/** The watching thread's view of the service's work. Routes are numbers here; a message announces each name once. */
export interface PulseReading {
  readonly beats: number;
  /** The route whose request was last worked on; undefined: none yet. */
  readonly lastRoute: number | undefined;
  /** Requests under way, by route. */
  readonly underWay: ReadonlyMap<number, number>;
  /** The page whose text is being worked on at this moment: nothing of the text itself. */
  readonly text: PageAtWork | undefined;
}

export interface PageAtWork {
  readonly id: string;
  readonly revision: number;
}

export function readPulse(memory: PulseMemory): PulseReading {
  const cells = new Int32Array(memory);
  const counts = Array.from({ length: maxRoutes }, (_, route) => [route, Atomics.load(cells, countsAt + route)] as const);
  const last = Atomics.load(cells, lastAt);
  return {
    beats: Atomics.load(cells, beatAt),
    lastRoute: last === 0 ? undefined : last - 1,
    underWay: new Map(counts.filter(([, count]) => count > 0)),
    text: readText(memory, cells),
  };
}

function readText(memory: PulseMemory, cells: Int32Array): PageAtWork | undefined {
  const revision = Atomics.load(cells, textRevisionAt);
  if (revision === 0) return undefined;
  const bytes = idBytes(memory).slice(0, Atomics.load(cells, textLengthAt));
  return { id: Buffer.from(bytes).toString('latin1'), revision };
}

function idBytes(memory: PulseMemory): Uint8Array {
  return new Uint8Array(memory, textIdAt * Int32Array.BYTES_PER_ELEMENT, maxIdBytes);
}

const beatMillis = 500;

/** The service's side of the memory. */
export class Pulse {
  readonly #cells: Int32Array;
  readonly #idBytes: Uint8Array;
  readonly #announceRoute: (route: number, name: string) => void;
  readonly #routes = new Map<string, number>();

  /** @param announceRoute sends a route's name to the watching thread, before its first request is worked on */
  constructor(memory: PulseMemory, announceRoute: (route: number, name: string) => void) {
    this.#cells = new Int32Array(memory);
    this.#idBytes = idBytes(memory);
    this.#announceRoute = announceRoute;
  }

  /** Beats while the event loop turns. */
  start(): void {
    setInterval(() => Atomics.add(this.#cells, beatAt, 1), beatMillis).unref();
  }

  /** @param name method and pattern, `GET /n/:slug`: never an address */
  begin(name: string): void {
    Atomics.add(this.#cells, countsAt + this.#numberOf(name), 1);
    this.touch(name);
  }

  /** A request of this route is worked on from now until the next touch. */
  touch(name: string): void {
    Atomics.store(this.#cells, lastAt, this.#numberOf(name) + 1);
  }

  /** This page's text is worked on from now; undefined: none is. */
  text(page: PageAtWork | undefined): void {
    // Cleared first, so that the watching thread never reads half of one page and half of another.
    Atomics.store(this.#cells, textRevisionAt, 0);
    if (!page) return;
    const length = Math.min(page.id.length, maxIdBytes);
    for (let at = 0; at < length; at++) this.#idBytes[at] = page.id.charCodeAt(at);
    Atomics.store(this.#cells, textLengthAt, length);
    Atomics.store(this.#cells, textRevisionAt, page.revision);
  }

  end(name: string): void {
    Atomics.sub(this.#cells, countsAt + this.#numberOf(name), 1);
  }

  #numberOf(name: string): number {
    const known = this.#routes.get(name);
    if (known !== undefined) return known;
    const route = Math.min(this.#routes.size, maxRoutes - 1);
    this.#routes.set(name, route);
    this.#announceRoute(route, name);
    return route;
  }
}
