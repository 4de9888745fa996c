import type { RequestFacts } from '../model/decide.ts';
import type { Identity } from '../model/identity.ts';
import type { OpaqueToken } from '../model/opaque-token.ts';

/** A socket, or an answer that is being written. */
interface Stream {
  destroy(): unknown;
}

/** Who it is for, by whose word. */
export interface Vouched {
  readonly identity: { readonly provider: string; readonly issuer: string };
}

/** A session, or an access token, with its end in milliseconds since 1970. */
export interface StreamOwner {
  readonly identity: Identity;
  /** Of a session. */
  readonly id?: string;
  readonly until?: number;
  /** Of an access token that its provider is asked about. */
  readonly opaque?: OpaqueToken | undefined;
}

/** A session: what tells whether it is still the same, and when its provider is to be asked. */
export interface SessionOwner extends StreamOwner {
  readonly id: string;
  readonly key: string;
  readonly version: number;
  readonly refreshAt: number | undefined;
}

/** One of them, for whoever takes it out again. */
export interface OpenStream {
  /** As it is now. */
  owner: StreamOwner;
  /** What was asked for, which a rule let through. */
  readonly facts: RequestFacts;
  readonly stream: Stream;
  readonly place: number;
}

/**
 * Sockets and answers that go on, with the session or the access token that opened them: they end when it does. Places of an array, and no Map: V8 lays the table of
 * an old Map anew in old space each time it has been filled, and what a dropped table names outlives every young collection. With an entry for each
 * request a tenth of all memory was kept so, and pauses took a hundredth of the requests by 7 ms.
 */
export class OpenStreams {
  readonly #open: (OpenStream | undefined)[] = [];
  readonly #free: number[] = [];

  /** Whoever adds a stream takes it out when it has closed. */
  add(owner: StreamOwner, facts: RequestFacts, stream: Stream): OpenStream {
    const one = { owner, facts, stream, place: this.#free.pop() ?? this.#open.length };
    this.#open[one.place] = one;
    return one;
  }

  /** A second time it does nothing: the place may be another's by then. */
  remove(one: OpenStream): void {
    if (this.#open[one.place] !== one) return;
    this.#open[one.place] = undefined;
    this.#free.push(one.place);
  }

  get count(): number {
    return this.#open.length - this.#free.length;
  }

  /** One for each session: the oldest version of it that something was opened with. */
  get sessions(): SessionOwner[] {
    const sessions = new Map<string, SessionOwner>();
    for (const one of this.#open) {
      if (one === undefined || !isSession(one.owner)) continue;
      const known = sessions.get(one.owner.id);
      if (known === undefined || one.owner.version < known.version) sessions.set(one.owner.id, one.owner);
    }
    return [...sessions.values()];
  }

  /** A session says something else than before. */
  change(owner: SessionOwner): void {
    for (const one of this.#open) if (one !== undefined && one.owner.id === owner.id) one.owner = owner;
  }

  /** By their names. */
  get opaqueTokens(): Map<string, OpaqueToken> {
    const tokens = new Map<string, OpaqueToken>();
    for (const one of this.#open) if (one?.owner.opaque !== undefined) tokens.set(one.owner.opaque.name, one.owner.opaque);
    return tokens;
  }

  /** Cuts the streams of these owners, all in one look: a look goes over every stream. */
  end(isOver: (owner: StreamOwner, facts: RequestFacts) => boolean): void {
    for (const one of this.#open) if (one !== undefined && isOver(one.owner, one.facts)) one.stream.destroy();
  }
}

function isSession(owner: StreamOwner): owner is SessionOwner {
  return owner.id !== undefined;
}
