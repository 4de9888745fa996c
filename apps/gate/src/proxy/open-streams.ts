import type { ErrorCode } from '../errors.ts';
import type { RequestFacts } from '../model/decide.ts';
import type { Identity } from '../model/identity.ts';
import type { OpaqueToken } from '../model/opaque-token.ts';

/** A socket, or an answer that is being sent. */
interface Stream {
  /** @param why for the client that waits for an answer that has not begun */
  end(why: ErrorCode): void;
}

/** The request that opened a stream. Its target is kept because new rules may read it in another way. */
export interface StreamFacts extends RequestFacts {
  readonly target: string;
}

/** An identity, and the provider that vouches for it. */
export interface Vouched {
  readonly identity: { readonly provider: string; readonly issuer: string };
}

/** A session or an access token, and when it ends, in milliseconds since 1970. */
export interface StreamOwner {
  readonly identity: Identity;
  /** The session's id; undefined for an access token. */
  readonly id?: string;
  readonly until?: number;
  /** Set for an access token that its provider is asked about. */
  readonly opaque?: OpaqueToken | undefined;
}

/** A session, with what tells whether it has changed and when its provider is to be asked. */
export interface SessionOwner extends StreamOwner {
  readonly id: string;
  readonly key: string;
  readonly version: number;
  readonly refreshAt: number | undefined;
}

/** The handle of a stream, to remove it again. */
export interface OpenStream {
  /** The owner as it is now. */
  owner: StreamOwner;
  /** The request that opened the stream, which a rule let through. */
  readonly facts: StreamFacts;
  readonly stream: Stream;
  readonly place: number;
}

/**
 * Sockets and answers in progress, with the session or the access token that opened them: they end when it does. Entries are
 * places of an array, not of a Map: V8 allocates an old Map's table anew in old space each time it fills up, and everything a
 * discarded table refers to survives every young collection. With a Map entry for each request, a tenth of all memory was
 * retained this way, and pauses delayed one in a hundred requests by 7 ms.
 */
export class OpenStreams {
  readonly #open: (OpenStream | undefined)[] = [];
  readonly #free: number[] = [];

  /** The caller removes the stream when it has closed. */
  add(owner: StreamOwner, facts: StreamFacts, stream: Stream): OpenStream {
    const one = { owner, facts, stream, place: this.#free.pop() ?? this.#open.length };
    this.#open[one.place] = one;
    return one;
  }

  /** Does nothing the second time: another stream may have the place by then. */
  remove(one: OpenStream): void {
    if (this.#open[one.place] !== one) return;
    this.#open[one.place] = undefined;
    this.#free.push(one.place);
  }

  get count(): number {
    return this.#open.length - this.#free.length;
  }

  /** One owner for each session: the oldest version that a stream was opened with. */
  get sessions(): SessionOwner[] {
    const sessions = new Map<string, SessionOwner>();
    for (const one of this.#open) {
      if (one === undefined || !isSession(one.owner)) continue;
      const known = sessions.get(one.owner.id);
      if (known === undefined || one.owner.version < known.version) sessions.set(one.owner.id, one.owner);
    }
    return [...sessions.values()];
  }

  /** A session has changed. */
  change(owner: SessionOwner): void {
    for (const one of this.#open) if (one !== undefined && one.owner.id === owner.id) one.owner = owner;
  }

  /** Keyed by name. */
  get opaqueTokens(): Map<string, OpaqueToken> {
    const tokens = new Map<string, OpaqueToken>();
    for (const one of this.#open) if (one?.owner.opaque !== undefined) tokens.set(one.owner.opaque.name, one.owner.opaque);
    return tokens;
  }

  /** Closes the streams of these owners in a single pass over all streams. */
  end(isOver: (owner: StreamOwner, facts: StreamFacts) => boolean, why?: ErrorCode): void {
    for (const one of this.#open)
      if (one !== undefined && isOver(one.owner, one.facts)) one.stream.end(why ?? whyOver(one.owner));
  }
}

/** The session or the access token has ended. */
function whyOver({ id }: StreamOwner): ErrorCode {
  return id === undefined ? 'TOKEN_REFUSED' : 'SIGN_IN_REQUIRED';
}

function isSession(owner: StreamOwner): owner is SessionOwner {
  return owner.id !== undefined;
}
